import { Injectable } from '@nestjs/common';
import type { Stats } from '../../contract/stats';
import { DurationHistogram } from '../ground/duration-histogram';

/** How many of the latest durations the percentiles are computed from. */
const SAMPLES = 1_000;

/** In seconds. Co-Pilot allows five (document, 6.3). */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export type AckOutcome = keyof Stats['received'];

/** Counts the responses to notifications, and how long each 200 took. */
@Injectable()
export class AckMeter {
  readonly counts: Stats['received'] = { accepted: 0, duplicate: 0, rejected: 0, not_stored: 0 };
  /** The durations until a 200, since the start. */
  readonly histogram = new DurationHistogram(BOUNDS);
  private readonly samples = new Float64Array(SAMPLES);
  private sampleCount = 0;

  /** @param tookMs from the last byte of the request; used only if the response was a 200 */
  count(outcome: AckOutcome, tookMs: number): void {
    this.counts[outcome] += 1;
    if (outcome !== 'accepted' && outcome !== 'duplicate') return;
    this.histogram.add(tookMs);
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
