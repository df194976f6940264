import { Injectable } from '@nestjs/common';
import type { Stats } from '../../contract/stats';
import { LeaderLink } from '../ground/leader-link';
import { DurationHistogram } from '../ground/duration-histogram';

/** How many of the latest durations the percentiles are computed from. */
const SAMPLES = 1_000;

/** In seconds. Co-Pilot allows five (document, 6.3). */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export type AckOutcome = keyof Stats['received'];

const NONE: Readonly<Stats['received']> = { accepted: 0, duplicate: 0, rejected: 0, not_stored: 0 };

/** Counts the responses to notifications, and how long each 200 took. The leader counts those of all daemons. */
@Injectable()
export class AckMeter {
  counts: Stats['received'] = { ...NONE };
  /** The durations until a 200, since the start. */
  readonly histogram = new DurationHistogram(BOUNDS);
  private readonly samples = new Float64Array(SAMPLES);
  private sampleCount = 0;

  constructor(private readonly leaderLink: LeaderLink) {
    leaderLink.onMessage((message) => {
      if (message.kind !== 'received') return;
      for (const outcome of Object.keys(NONE) as AckOutcome[])
        this.counts[outcome] += message.responses[outcome];
      this.histogram.addTaken(message.durations);
    });
  }

  /** Sends the leader what was counted since the last report. */
  report(): void {
    const responses = this.counts;
    if (Object.values(responses).every((count) => count === 0)) return;
    this.counts = { ...NONE };
    const durations = this.histogram.take();
    this.leaderLink.send({ kind: 'received', responses, durations });
  }

  /** @param tookMs from the last byte of the request; used only if the response was a 200 */
  count(outcome: AckOutcome, tookMs: number): void {
    this.counts[outcome] += 1;
    if (outcome !== 'accepted' && outcome !== 'duplicate') return;
    this.histogram.add(tookMs);
    this.samples[this.sampleCount % SAMPLES] = tookMs;
    this.sampleCount += 1;
  }

  /** Percentiles of the latest durations until the 200 of this daemon; null before the first. */
  get durations(): Stats['ack_ms'] {
    if (this.sampleCount === 0) return null;
    const sorted = this.samples.slice(0, Math.min(this.sampleCount, SAMPLES)).sort();
    const percentile = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]! * 100) / 100;
    return { p50: percentile(0.5), p99: percentile(0.99), max: percentile(1) };
  }
}
