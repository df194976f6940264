import { Injectable } from '@nestjs/common';
import type { Stats } from '../../contract/stats';

/** How many of the latest durations the percentiles are computed from. */
const SAMPLES = 1_000;

export type AckOutcome = keyof Stats['received'];

/** Counts the responses to notifications, and how long each 200 took. */
@Injectable()
export class AckMeter {
  readonly counts: Stats['received'] = { accepted: 0, duplicate: 0, rejected: 0, not_stored: 0 };
  private readonly samples = new Float64Array(SAMPLES);
  private sampleCount = 0;

  /** @param tookMs from the last byte of the request; used only if the response was a 200 */
  count(outcome: AckOutcome, tookMs: number): void {
    this.counts[outcome] += 1;
    if (outcome !== 'accepted' && outcome !== 'duplicate') return;
    this.samples[this.sampleCount % SAMPLES] = tookMs;
    this.sampleCount += 1;
  }

  /** Percentiles of the latest durations until the 200; null before the first. */
  get durations(): Stats['ack_ms'] {
    if (this.sampleCount === 0) return null;
    const sorted = this.samples.slice(0, Math.min(this.sampleCount, SAMPLES)).sort();
    const percentile = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]! * 100) / 100;
    return { p50: percentile(0.5), p99: percentile(0.99), max: percentile(1) };
  }
}
