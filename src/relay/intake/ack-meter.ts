import { Injectable } from '@nestjs/common';
import type { Stats } from '../../contract/stats';

const SAMPLES = 1_000;

export type AckOutcome = keyof Stats['received'];

/** Counts the responses to notifications, and how long each 200 took. */
@Injectable()
export class AckMeter {
  readonly counts: Stats['received'] = { accepted: 0, duplicate: 0, rejected: 0, refused: 0 };
  private readonly samples = new Float64Array(SAMPLES);
  private sampleCount = 0;

  count(outcome: AckOutcome, tookMs: number): void {
    this.counts[outcome] += 1;
    if (outcome !== 'accepted' && outcome !== 'duplicate') return;
    this.samples[this.sampleCount % SAMPLES] = tookMs;
    this.sampleCount += 1;
  }

  /** Over the last thousand; null before the first. */
  get acks(): Stats['ack_ms'] {
    if (this.sampleCount === 0) return null;
    const sorted = this.samples.slice(0, Math.min(this.sampleCount, SAMPLES)).sort();
    const at = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]! * 100) / 100;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}
