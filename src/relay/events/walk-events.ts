import type { SelectQueryBuilder } from 'typeorm';
import type { Reader } from '../database/reader';
import type { EventIndex, EventOrder, SeqRange } from './event-indexes';
import type { EventEntity } from './event.entity';
import { FittedStep } from './fitted-step';

/** Events by `seq` that one read without an index looks at, and candidates that one read takes from an index. */
const WINDOW = { first: 2_000, least: 50, most: 50_000 };
const CANDIDATES = { least: 50, most: 10_000 };

interface Walk {
  range: SeqRange;
  order: EventOrder;
  index: EventIndex | null;
  /** So many rows a read brings at most. */
  limit: number;
  /** Builds a read of the rows wanted, of all events `e`. */
  rows: () => SelectQueryBuilder<EventEntity>;
  reader: Reader;
  signal?: AbortSignal | undefined;
}

/** What a read brought, and the last `seq` that it looked at. */
export interface Found<Row> {
  rows: Row[];
  at: number;
}

/**
 * The events of a range that a query wants, in order: along an index as far as it is filled, elsewhere by looking at one
 * after the other. Each read is short, so that others come in between and whoever walks can stop.
 */
export async function* walkEvents<Row extends { seq: number }>(walk: Walk): AsyncGenerator<Found<Row>> {
  const { range, order, index } = walk;
  if (index === null) {
    yield* lookAtEach<Row>(walk, range);
    return;
  }
  const indexed = { after: range.after, before: Math.min(range.before, index.through + 1) };
  const tail = { after: Math.max(range.after, index.through), before: range.before };
  if (order === 'newest first') yield* lookAtEach<Row>(walk, tail);
  yield* followIndex<Row>(walk, indexed, index);
  if (order === 'oldest first') yield* lookAtEach<Row>(walk, tail);
}

async function* lookAtEach<Row extends { seq: number }>(
  walk: Walk,
  range: SeqRange,
): AsyncGenerator<Found<Row>> {
  const { order, limit } = walk;
  const step = new FittedStep(WINDOW.first, WINDOW.least, WINDOW.most);
  for (let rest = range; rest.before - rest.after > 1;) {
    const window = firstOf(rest, order, step.size);
    const rows = await step.during(() =>
      read<Row>(walk, walk.rows().andWhere('e.seq > :after AND e.seq < :before', window).limit(limit)),
    );
    const at = rows.length === limit ? rows.at(-1)!.seq : endOf(window, order);
    yield { rows, at };
    rest = behind(rest, order, at);
  }
}

async function* followIndex<Row extends { seq: number }>(
  walk: Walk,
  range: SeqRange,
  index: EventIndex,
): AsyncGenerator<Found<Row>> {
  const { order, limit } = walk;
  const step = new FittedStep(Math.max(limit, CANDIDATES.least), CANDIDATES.least, CANDIDATES.most);
  for (let rest = range; rest.before - rest.after > 1;) {
    const some = await step.during(async (size) => {
      const seqs = await index.candidates(rest, order, size);
      if (seqs === null) return null;
      const among = walk.rows().andWhere('e.seq IN (SELECT value FROM json_each(:seqs))', {
        seqs: JSON.stringify(seqs),
      });
      const isAll = seqs.length < size;
      return { rows: await read<Row>(walk, among), at: isAll ? endOf(rest, order) : seqs.at(-1)! };
    });
    if (some === null) {
      yield* lookAtEach<Row>(walk, rest);
      return;
    }
    yield some;
    rest = behind(rest, order, some.at);
  }
}

function read<Row>({ order, reader, signal }: Walk, rows: SelectQueryBuilder<EventEntity>): Promise<Row[]> {
  return reader.all<Row>(
    rows.orderBy('e.seq', order === 'newest first' ? 'DESC' : 'ASC').getQueryAndParameters(),
    signal,
  );
}

const firstOf = ({ after, before }: SeqRange, order: EventOrder, size: number): SeqRange =>
  order === 'newest first'
    ? { after: Math.max(after, before - 1 - size), before }
    : { after, before: Math.min(before, after + 1 + size) };

const endOf = ({ after, before }: SeqRange, order: EventOrder): number =>
  order === 'newest first' ? after + 1 : before - 1;

const behind = (range: SeqRange, order: EventOrder, at: number): SeqRange =>
  order === 'newest first' ? { ...range, before: at } : { ...range, after: at };
