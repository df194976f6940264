import { Injectable } from '@nestjs/common';
import type { DeliveryQuery, DeliveryState } from '../../contract/delivery';
import { Reader } from '../database/reading/reader';
import type { SeqIndex, SeqRange } from '../database/reading/walk-seqs';
import { Backlog } from './queue/backlog';
import { errorCondition, likePattern } from './dead-letters/filter-deliveries';
import { withIndex } from '../database/reading/dialect';

/** How many candidates of an index are read to estimate the distance between them. */
const SAMPLE_SIZE = 200;
/** If an index has a candidate more often than every fourth event, checking every event is cheaper. */
const MIN_DISTANCE = 4;
/** An index is not used if the query needs more of its keys than this. */
const MAX_KEYS = 200;

/** The most queued deliveries that one read may sort, which takes about 50 ms. */
const MAX_SORTED = 200_000;

const FAILED: readonly DeliveryState[] = ['retrying', 'dead', 'cancelled'];

/** The filters that an index may serve. */
type IndexedFilters = Pick<DeliveryQuery, 'error' | 'target' | 'type'> & {
  /** In any of them. */
  states?: readonly DeliveryState[] | undefined;
};

/** SQL for the events of one index key, without range and order. */
interface KeyLookup {
  from: string;
  seq: string;
  where: string;
  parameters: unknown[];
}

/** Chooses the index that excludes the most events from a query for deliveries. */
@Injectable()
export class DeliveryIndexes {
  constructor(
    private readonly reader: Reader,
    private readonly backlog: Backlog,
  ) {}

  /** @returns null if checking every event is cheaper */
  async for(query: IndexedFilters, range: SeqRange): Promise<SeqIndex | null> {
    const [instance] = await this.reader.all<{ through: number }>([
      'SELECT indexed_through AS through FROM instance',
      [],
    ]);
    const indexes = [
      this.toIndex(await this.byState(query), Infinity),
      this.toIndex(await this.byTarget(query), instance!.through),
      this.toIndex(await this.byType(query), instance!.through),
    ].filter((index) => index !== null);
    let best: { index: SeqIndex; distance: number } | null = null;
    for (const index of indexes) {
      const distance = await distanceIn(index, range);
      if (distance >= (best?.distance ?? MIN_DISTANCE)) best = { index, distance };
    }
    return best?.index ?? null;
  }

  private async byState({ states, error, target }: IndexedFilters): Promise<KeyLookup[] | null> {
    const targets = await this.reader.all<{ number: number }>(
      target === undefined
        ? ['SELECT number FROM targets', []]
        : ['SELECT number FROM targets WHERE id = ?', [target]],
    );
    const numbers = targets.map(({ number }) => number);
    const [state] = states ?? [];
    if (state === 'pending' || state === 'waiting') return this.queued(numbers, state);
    // A successful status never selects failed deliveries.
    const isFailure = error !== undefined && !error.startsWith('2');
    if (states === undefined ? !isFailure : !states.every((one) => FAILED.includes(one))) return null;
    const failure = error === undefined ? null : errorCondition(error);
    return numbers.flatMap((number) =>
      (states ?? FAILED).map((one) => ({
        from: withIndex('deliveries', 'deliveries_failed'),
        seq: 'event_seq',
        where: `target_id = ? AND state = ? AND state IN ('retrying', 'dead', 'cancelled')${failure === null ? '' : ` AND ${failure.column} = ?`}`,
        parameters: [number, one, ...(failure === null ? [] : [failure.value])],
      })),
    );
  }

  /**
   * The indexes of queued deliveries are ordered by age or lane, not by `seq`, so all candidates must be sorted.
   * @returns null if they are too many for that
   */
  private async queued(targets: number[], status: 'pending' | 'waiting'): Promise<KeyLookup[] | null> {
    const [index, where] =
      status === 'waiting'
        ? ['deliveries_lane', 'lane IS NOT NULL AND finished_at IS NULL']
        : ['deliveries_queued', `finished_at IS NULL AND state <> 'dead'`];
    const from = withIndex('deliveries', index);
    const count =
      status === 'waiting'
        ? await this.countUpTo(MAX_SORTED + 1, `FROM ${from} WHERE ${where}`)
        : targets.reduce((sum, target) => sum + this.backlog.queued(target), 0);
    if (count > MAX_SORTED) return null;
    return targets.map((target) => ({
      from,
      seq: 'event_seq',
      where: `target_id = ? AND ${where}`,
      parameters: [target],
    }));
  }

  private async countUpTo(limit: number, from: string): Promise<number> {
    const [row] = await this.reader.all<{ count: number }>([
      `SELECT count(*) AS count FROM (SELECT 1 ${from} LIMIT ?) found`,
      [limit],
    ]);
    return row!.count;
  }

  private async byTarget({ target }: IndexedFilters): Promise<KeyLookup[] | null> {
    if (target === undefined) return null;
    const where = 'target_id = (SELECT number FROM targets WHERE id = ?)';
    return [{ from: 'delivery_targets', seq: 'event_seq', where, parameters: [target] }];
  }

  /** A pattern is looked up as all types in the index that match it. */
  private async byType({ type }: IndexedFilters): Promise<KeyLookup[] | null> {
    if (type === undefined) return null;
    const types = type.includes('*')
      ? await this.reader.all<{ type: string }>([TYPES_LIKE, [likePattern(type)]])
      : [{ type }];
    return types.map((one) => ({
      from: 'event_types',
      seq: 'seq',
      where: 'type = ?',
      parameters: [one.type],
    }));
  }

  private toIndex(lookups: KeyLookup[] | null, through: number): SeqIndex | null {
    if (lookups === null || lookups.length > MAX_KEYS) return null;
    if (lookups.length === 0) return { through, candidates: async () => [] };
    return {
      through,
      candidates: async ({ after, before }, order, limit) => {
        const direction = order === 'newest first' ? 'DESC' : 'ASC';
        const selects = lookups.map(
          ({ from, seq, where }) =>
            `SELECT * FROM (SELECT DISTINCT ${seq} AS seq FROM ${from} WHERE ${where} AND ${seq} > ? AND ${seq} < ?
               ORDER BY ${seq} ${direction} LIMIT ?) found`,
        );
        const parameters = lookups.flatMap((lookup) => [...lookup.parameters, after, before, limit]);
        const rows = await this.reader.all<{ seq: number }>([
          `SELECT DISTINCT seq FROM (${selects.join(' UNION ALL ')}) found ORDER BY seq ${direction} LIMIT ?`,
          [...parameters, limit],
        ]);
        return rows.map(({ seq }) => seq);
      },
    };
  }
}

/** The distinct types in the index, found by skipping from one to the next. */
const TYPES_LIKE = `
  WITH RECURSIVE types(type) AS (
    SELECT min(type) FROM event_types
    UNION ALL SELECT (SELECT min(type) FROM event_types WHERE type > types.type) FROM types WHERE type IS NOT NULL)
  SELECT type FROM types WHERE type LIKE ? ESCAPE '!'`;

/** Events per candidate, estimated from the newest ones. */
async function distanceIn(index: SeqIndex, range: SeqRange): Promise<number> {
  const indexed = { ...range, before: Math.min(range.before, index.through + 1) };
  const seqs = (await index.candidates(indexed, 'newest first', SAMPLE_SIZE)) ?? [];
  const end = seqs.length < SAMPLE_SIZE ? range.after : seqs.at(-1)!;
  return (indexed.before - end) / (seqs.length + 1);
}
