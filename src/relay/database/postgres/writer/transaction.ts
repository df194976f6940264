import type { PoolClient } from 'pg';
import type { Log } from '../../../ground/log';
import type { PromotedDelivery } from '../../journal/journal';
import type { TrafficCounts } from '../../journal/traffic-counts';
import { prepared } from '../postgres-client';

/** An open transaction of a group, and what it has done so far. */
export interface Transaction {
  readonly client: PoolClient;
  /** The due time of deliveries that are due immediately: one per transaction, so that `seq` decides their order. */
  readonly now: number;
  /** See `Group.targetsVersion`. */
  readonly targetsVersion: number | null;
  /** Whether another daemon leads meanwhile: this one then stores only what it writes as the owner of a target. */
  readonly isFormerLeader: boolean;
  /** The deliveries that became the head of their lane. */
  readonly promoted: PromotedDelivery[];
  /** The targets whose number of dead letters may have changed. */
  readonly deadLetterTargets: Set<number>;
  readonly traffic: TrafficCounts;
  readonly log: Log;
}

/** The rows of a statement in PostgreSQL's own SQL, or of one in `COMMON_SQL`, whose parameters are one object. */
export async function rowsOf<Row>(
  { client }: Pick<Transaction, 'client'>,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  return (await client.query(prepared(sql, parameters))).rows as Row[];
}

/** Columns of rows, as parameters for `unnest`. */
export const columnsOf = <Row>(rows: readonly Row[], ...names: (keyof Row)[]): Row[keyof Row][][] =>
  names.map((name) => rows.map((row) => row[name]));

/** Runs work in a savepoint: if it throws, everything is as it was before. */
export async function inSavepoint<T>({ client }: Transaction, work: () => Promise<T>): Promise<T> {
  await client.query('SAVEPOINT item');
  try {
    const result = await work();
    await client.query('RELEASE SAVEPOINT item');
    return result;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT item');
    throw error;
  }
}
