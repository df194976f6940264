import type { SeqInterval } from '../../database/reading/read-in-chunks';

/** The number of intervals that are sampled for an estimate. */
export const SAMPLE_COUNT = 20;

/** `SAMPLE_COUNT` intervals of `size` events, evenly distributed from the start of a range to its end. */
export function* sampleIntervals({ after, through }: SeqInterval, size: number): Generator<SeqInterval> {
  const distance = (through - size - after) / (SAMPLE_COUNT - 1);
  for (let i = 0; i < SAMPLE_COUNT; i += 1) {
    const from = after + Math.round(i * distance);
    yield { after: from, through: from + size };
  }
}
