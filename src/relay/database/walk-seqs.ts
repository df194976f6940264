import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { AdaptiveStep } from './adaptive-step';
import type { Reader, RequestSignal } from './reader';

/** Events by `seq` that one read without an index looks at, and candidates that one read takes from an index. */
const WINDOW = { first: 2_000, least: 50, most: 50_000 };
const CANDIDATES = { least: 50, most: 10_000 };

/** The events between two `seq`s, with both left out. */
export interface SeqRange {
  after: number;
  before: number;
}

export type SeqOrder = 'newest first' | 'oldest first';

/** An index that leads to the events of all rows that are wanted and to not many others, as far as it is filled. */
export interface SeqIndex {
  through: number;
  /** In order, each once, at most so many; null where it cannot be read. */
  candidates(range: SeqRange, order: SeqOrder, limit: number): Promise<number[] | null>;
}

/** What is known without a read. */
export function indexOf(seqs: readonly number[]): SeqIndex {
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
  /** So many rows a read brings at most. */
  limit: number;
  /** Builds a read of the rows wanted. */
  rows: () => SelectQueryBuilder<ObjectLiteral>;
  /** What they are ordered by, the `seq` of their event first. */
  by: [seq: string, ...others: string[]];
  reader: Reader;
  signal?: RequestSignal | undefined;
}

/** What a read brought, and the last `seq` that it looked at. */
export interface Found<Row> {
  rows: Row[];
  at: number;
}

/**
 * Rows that belong to events of a range, in order: along an index as far as it is filled, elsewhere by looking at one event
 * after the other. Each read is short, so that others come in between and whoever walks can stop.
 */
export async function* walkSeqs<Row extends { seq: number }>(walk: Walk): AsyncGenerator<Found<Row>> {
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
): AsyncGenerator<Found<Row>> {
  const { order, limit, by } = walk;
  const step = new AdaptiveStep(WINDOW.first, WINDOW.least, WINDOW.most);
  for (let rest = range; rest.before - rest.after > 1;) {
    const window = firstOf(rest, order, step.size);
    const within = walk.rows().andWhere(`${by[0]} > :after AND ${by[0]} < :before`, window).limit(limit);
    const rows = await step.run(() => read<Row>(walk, within));
    const at = rows.length === limit ? rows.at(-1)!.seq : endOf(window, order);
    yield { rows, at };
    rest = behind(rest, order, at);
  }
}

async function* followIndex<Row extends { seq: number }>(
  walk: Walk,
  range: SeqRange,
  index: SeqIndex,
): AsyncGenerator<Found<Row>> {
  const { order, limit, by } = walk;
  const step = new AdaptiveStep(Math.max(limit, CANDIDATES.least), CANDIDATES.least, CANDIDATES.most);
  for (let rest = range; rest.before - rest.after > 1;) {
    const some = await step.run(async (size) => {
      const seqs = await index.candidates(rest, order, size);
      if (seqs === null) return null;
      const among = walk.rows().andWhere(`${by[0]} IN (SELECT value FROM json_each(:seqs))`, {
        seqs: JSON.stringify(seqs),
      });
      const rows = await read<Row>(walk, among.limit(limit));
      const isAll = seqs.length < size;
      const at = rows.length === limit ? rows.at(-1)!.seq : isAll ? endOf(rest, order) : seqs.at(-1)!;
      return { rows, at };
    });
    if (some === null) {
      yield* scanEach<Row>(walk, rest);
      return;
    }
    yield some;
    rest = behind(rest, order, some.at);
  }
}

function read<Row>(
  { order, by, reader, signal }: Walk,
  rows: SelectQueryBuilder<ObjectLiteral>,
): Promise<Row[]> {
  for (const column of by) rows.addOrderBy(column, order === 'newest first' ? 'DESC' : 'ASC');
  return reader.all<Row>(rows.getQueryAndParameters(), signal);
}

const firstOf = ({ after, before }: SeqRange, order: SeqOrder, size: number): SeqRange =>
  order === 'newest first'
    ? { after: Math.max(after, before - 1 - size), before }
    : { after, before: Math.min(before, after + 1 + size) };

const endOf = ({ after, before }: SeqRange, order: SeqOrder): number =>
  order === 'newest first' ? after + 1 : before - 1;

const behind = (range: SeqRange, order: SeqOrder, at: number): SeqRange =>
  order === 'newest first' ? { ...range, before: at } : { ...range, after: at };
