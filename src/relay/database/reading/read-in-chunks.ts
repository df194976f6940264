import { AdaptiveStep } from './adaptive-step';

/** The number of `seq`s per read. */
const CHUNK = { first: 20_000, least: 1_000, most: 10_000_000 };

/** The events with a `seq` greater than `after`, up to and including `through`. */
export interface SeqInterval {
  after: number;
  through: number;
}

/** Reads an interval of events in chunks, oldest first. Each read is short, so that others can run in between. */
export async function* readInChunks<Row>(
  { after, through }: SeqInterval,
  read: (chunk: SeqInterval) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const step = new AdaptiveStep(CHUNK.first, CHUNK.least, CHUNK.most);
  for (let from = after; from < through;) {
    const chunk = { after: from, through: Math.min(through, from + step.size) };
    yield await step.run(() => read(chunk));
    from = chunk.through;
  }
}

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
