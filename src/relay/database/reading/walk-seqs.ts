import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { AdaptiveStep } from './adaptive-step';
import type { Reader, RequestSignal } from './reader';
import { inJsonList } from './dialect';

/** The number of events that one read examines without an index, and that one read takes from an index. */
const WINDOW = { first: 2_000, least: 50, most: 50_000 };
const CANDIDATES = { least: 50, most: 10_000 };

/** The events with a `seq` greater than `after` and less than `before`. */
export interface SeqRange {
  after: number;
  before: number;
}

export type SeqOrder = 'newest first' | 'oldest first';

/** Finds candidates: every event that has wanted rows, and a few that have none. Complete up to `through`. */
export interface SeqIndex {
  through: number;
  /** The `seq`s in order, without duplicates, at most `limit`; null if the index cannot be read. */
  candidates(range: SeqRange, order: SeqOrder, limit: number): Promise<number[] | null>;
}

/** An index that consists of known `seq`s. */
export function indexOfSeqs(seqs: readonly number[]): SeqIndex {
  const ordered = [...new Set(seqs)].toSorted((a, b) => a - b);
  return {
    through: Infinity,
    candidates: async ({ after, before }, order, limit) => {
      const within = ordered.filter((seq) => seq > after && seq < before);
      return (order === 'newest first' ? within.toReversed() : within).slice(0, limit);
    },
  };
}

interface Walk {
  range: SeqRange;
  order: SeqOrder;
  index: SeqIndex | null;
  /**
   * The maximum number of rows per read. Where an event may have several rows, the caller must stop at the first read
   * that is full, since the next one begins with the next event.
   */
  limit: number;
  /** Builds the query for the wanted rows. */
  rows: () => SelectQueryBuilder<ObjectLiteral>;
  /** The columns to order by, the `seq` of the event first. */
  orderBy: [seq: string, ...others: string[]];
  reader: Reader;
  signal?: RequestSignal | undefined;
}

/** The rows of one read, and the last `seq` that it examined. */
export interface FoundRows<Row> {
  rows: Row[];
  lastSeq: number;
}

/**
 * Reads the rows that belong to a range of events, in order: through an index up to the last event that it covers, and
 * beyond it by examining every event. Each read is short, so that others can run in between and the caller can stop.
 */
export async function* walkSeqs<Row extends { seq: number }>(walk: Walk): AsyncGenerator<FoundRows<Row>> {
  const { range, order, index } = walk;
  if (index === null) {
    yield* scanEach<Row>(walk, range);
    return;
  }
  const indexed = { after: range.after, before: Math.min(range.before, index.through + 1) };
  const tail = { after: Math.max(range.after, index.through), before: range.before };
  if (order === 'newest first') yield* scanEach<Row>(walk, tail);
  yield* followIndex<Row>(walk, indexed, index);
  if (order === 'oldest first') yield* scanEach<Row>(walk, tail);
}

async function* scanEach<Row extends { seq: number }>(
  walk: Walk,
  range: SeqRange,
): AsyncGenerator<FoundRows<Row>> {
  const { order, limit, orderBy } = walk;
  const step = new AdaptiveStep(WINDOW.first, WINDOW.least, WINDOW.most);
  for (let rest = range; rest.before - rest.after > 1;) {
    const window = nextWindow(rest, order, step.size);
    const within = walk
      .rows()
      .andWhere(`${orderBy[0]} > :after AND ${orderBy[0]} < :before`, window)
      .limit(limit);
    const rows = await step.run(() => read<Row>(walk, within));
    const lastSeq = rows.length === limit ? rows.at(-1)!.seq : lastSeqOf(window, order);
    yield { rows, lastSeq };
    rest = remainder(rest, order, lastSeq);
  }
}

async function* followIndex<Row extends { seq: number }>(
  walk: Walk,
  range: SeqRange,
  index: SeqIndex,
): AsyncGenerator<FoundRows<Row>> {
  const { order, limit, orderBy } = walk;
  const step = new AdaptiveStep(Math.max(limit, CANDIDATES.least), CANDIDATES.least, CANDIDATES.most);
  for (let rest = range; rest.before - rest.after > 1;) {
    const found = await step.run(async (size) => {
      const seqs = await index.candidates(rest, order, size);
      if (seqs === null) return null;
      const among = walk.rows().andWhere(`${orderBy[0]} ${inJsonList(':seqs')}`, {
        seqs: JSON.stringify(seqs),
      });
      const rows = await read<Row>(walk, among.limit(limit));
      const examined = seqs.length < size ? lastSeqOf(rest, order) : seqs.at(-1)!;
      return { rows, lastSeq: rows.length === limit ? rows.at(-1)!.seq : examined };
    });
    if (found === null) {
      yield* scanEach<Row>(walk, rest);
      return;
    }
    yield found;
    rest = remainder(rest, order, found.lastSeq);
  }
}

function read<Row>(
  { order, orderBy, reader, signal }: Walk,
  rows: SelectQueryBuilder<ObjectLiteral>,
): Promise<Row[]> {
  for (const column of orderBy) rows.addOrderBy(column, order === 'newest first' ? 'DESC' : 'ASC');
  return reader.all<Row>(rows.getQueryAndParameters(), signal);
}

const nextWindow = ({ after, before }: SeqRange, order: SeqOrder, size: number): SeqRange =>
  order === 'newest first'
    ? { after: Math.max(after, before - 1 - size), before }
    : { after, before: Math.min(before, after + 1 + size) };

const lastSeqOf = ({ after, before }: SeqRange, order: SeqOrder): number =>
  order === 'newest first' ? after + 1 : before - 1;

const remainder = (range: SeqRange, order: SeqOrder, lastSeq: number): SeqRange =>
  order === 'newest first' ? { ...range, before: lastSeq } : { ...range, after: lastSeq };
