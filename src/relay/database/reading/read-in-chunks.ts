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
