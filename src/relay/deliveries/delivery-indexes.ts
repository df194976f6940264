import { Injectable } from '@nestjs/common';
import type { DeliveryQuery, DeliveryState } from '../../contract/delivery';
import { Reader } from '../database/reader';
import type { SeqIndex, SeqRange } from '../database/walk-seqs';
import { Backlog } from './queue/backlog';
import { failureOf, likePattern } from './dead-letters/narrow-deliveries';

/** So many candidates of an index tell how far apart they lie. */
const PROBED = 200;
/** Where they lie closer than this, looking at one event after the other costs less. */
const LEAST_DISTANCE = 4;
/** A read that puts together more parts than this is none that helps. */
const MOST_PARTS = 200;

/** So many open deliveries may be put in order for one read, some 50 ms. */
const SORTED_OPEN = 200_000;

const FAILED: DeliveryState[] = ['retrying', 'dead', 'cancelled'];

/** SQL for the events of one key of an index, with the range and the order left open. */
interface Part {
  from: string;
  seq: string;
  where: string;
  parameters: unknown[];
}

/** Chooses the index that leads to the deliveries of a query past the fewest others. */
@Injectable()
export class DeliveryIndexes {
  constructor(
    private readonly reader: Reader,
    private readonly backlog: Backlog,
  ) {}

  /** @returns null where none helps */
  async for(query: DeliveryQuery, range: SeqRange): Promise<SeqIndex | null> {
    const [hub] = await this.reader.all<{ through: number }>([
      'SELECT indexed_through AS through FROM instance',
      [],
    ]);
    const indexes = [
      this.of(await this.byState(query), Infinity),
      this.of(await this.byTarget(query), hub!.through),
      this.of(await this.byType(query), hub!.through),
    ].filter((index) => index !== null);
    let best: { index: SeqIndex; distance: number } | null = null;
    for (const index of indexes) {
      const distance = await distanceIn(index, range);
      if (distance >= (best?.distance ?? LEAST_DISTANCE)) best = { index, distance };
    }
    return best?.index ?? null;
  }

  private async byState({ status, error, target }: DeliveryQuery): Promise<Part[] | null> {
    const targets = await this.reader.all<{ number: number }>(
      target === undefined
        ? ['SELECT number FROM targets', []]
        : ['SELECT number FROM targets WHERE id = ?', [target]],
    );
    const numbers = targets.map(({ number }) => number);
    if (status === 'pending' || status === 'waiting') return this.open(numbers, status);
    // What succeeded failed in no way.
    const isFailure = error !== undefined && !error.startsWith('2');
    if (status === undefined ? !isFailure : !FAILED.includes(status)) return null;
    const states = status === undefined ? FAILED : [status];
    const failure = error === undefined ? null : failureOf(error);
    return numbers.flatMap((number) =>
      states.map((state) => ({
        from: 'deliveries INDEXED BY deliveries_failed',
        seq: 'event_seq',
        where: `target_id = ? AND state = ? AND state IN ('retrying', 'dead', 'cancelled')${failure === null ? '' : ` AND ${failure.column} = ?`}`,
        parameters: [number, state, ...(failure === null ? [] : [failure.value])],
      })),
    );
  }

  /** They are kept in other orders, by age and by lane. */
  private async open(targets: number[], status: 'pending' | 'waiting'): Promise<Part[] | null> {
    const [index, where] =
      status === 'waiting'
        ? ['deliveries_lane', 'lane IS NOT NULL AND settled_at IS NULL']
        : ['deliveries_open', `settled_at IS NULL AND state <> 'dead'`];
    const from = `deliveries INDEXED BY ${index}`;
    const count =
      status === 'waiting'
        ? await this.countUpTo(SORTED_OPEN + 1, `FROM ${from} WHERE ${where}`)
        : targets.reduce((sum, target) => sum + this.backlog.open(target), 0);
    if (count > SORTED_OPEN) return null;
    return targets.map((target) => ({
      from,
      seq: 'event_seq',
      where: `target_id = ? AND ${where}`,
      parameters: [target],
    }));
  }

  private async countUpTo(limit: number, from: string): Promise<number> {
    const [row] = await this.reader.all<{ count: number }>([
      `SELECT count(*) AS count FROM (SELECT 1 ${from} LIMIT ?)`,
      [limit],
    ]);
    return row!.count;
  }

  private async byTarget({ target }: DeliveryQuery): Promise<Part[] | null> {
    if (target === undefined) return null;
    const where = 'target_id = (SELECT number FROM targets WHERE id = ?)';
    return [{ from: 'delivery_targets', seq: 'event_seq', where, parameters: [target] }];
  }

  /** A pattern stands for the types that there are. */
  private async byType({ type }: DeliveryQuery): Promise<Part[] | null> {
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

  private of(parts: Part[] | null, through: number): SeqIndex | null {
    if (parts === null || parts.length > MOST_PARTS) return null;
    if (parts.length === 0) return { through, candidates: async () => [] };
    return {
      through,
      candidates: async ({ after, before }, order, limit) => {
        const direction = order === 'newest first' ? 'DESC' : 'ASC';
        const selects = parts.map(
          ({ from, seq, where }) =>
            `SELECT * FROM (SELECT DISTINCT ${seq} AS seq FROM ${from} WHERE ${where} AND ${seq} > ? AND ${seq} < ?
               ORDER BY ${seq} ${direction} LIMIT ?)`,
        );
        const parameters = parts.flatMap((part) => [...part.parameters, after, before, limit]);
        const rows = await this.reader.all<{ seq: number }>([
          `SELECT DISTINCT seq FROM (${selects.join(' UNION ALL ')}) ORDER BY seq ${direction} LIMIT ?`,
          [...parameters, limit],
        ]);
        return rows.map(({ seq }) => seq);
      },
    };
  }
}

/** Each type that the index holds, from one to the next: however many events there are. */
const TYPES_LIKE = `
  WITH RECURSIVE types(type) AS (
    SELECT min(type) FROM event_types
    UNION ALL SELECT (SELECT min(type) FROM event_types WHERE type > types.type) FROM types WHERE type IS NOT NULL)
  SELECT type FROM types WHERE type LIKE ? ESCAPE '!'`;

/** Events to one candidate, from the newest on. */
async function distanceIn(index: SeqIndex, range: SeqRange): Promise<number> {
  const indexed = { ...range, before: Math.min(range.before, index.through + 1) };
  const seqs = (await index.candidates(indexed, 'newest first', PROBED)) ?? [];
  const end = seqs.length < PROBED ? range.after : seqs.at(-1)!;
  return (indexed.before - end) / (seqs.length + 1);
}
