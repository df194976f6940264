import { AdaptiveStep } from './adaptive-step';

/** The number of `seq`s that one read covers. */
const CHUNK = { first: 20_000, least: 1_000, most: 10_000_000 };

/** The events after one `seq`, up to and including another. */
export interface SeqChunk {
  after: number;
  through: number;
}

/** Reads of all events of a range in chunks, oldest first: each read is short, so that others run in between. */
export async function* readInChunks<Row>(
  { after, through }: SeqChunk,
  read: (chunk: SeqChunk) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const step = new AdaptiveStep(CHUNK.first, CHUNK.least, CHUNK.most);
  for (let from = after; from < through;) {
    const chunk = { after: from, through: Math.min(through, from + step.size) };
    yield await step.run(() => read(chunk));
    from = chunk.through;
  }
}
