import { createHash } from 'node:crypto';
import type { DeliveryKey } from '../../../ground/ids';
import type { PromotedDelivery } from '../../journal/journal';
import { IS_DELIVERED_SINCE } from '../../journal/delivery-conditions';
import { subtractDeadLetters } from './dead-letters';
import { columnsOf, rowsOf, type Transaction } from './transaction';

export interface Lane {
  target: number;
  lane: string;
}

export const laneKey = ({ target, lane }: Lane) => `${target}:${lane}`;

/**
 * Locks lanes until the transaction ends, sorted, so that two do not wait for each other. Who decides whether a lane is
 * occupied must see who takes a delivery out of it, and vice versa: else two deliveries become its head, or none.
 */
export async function lockLanes(transaction: Transaction, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return;
  const keys = [...new Set(lanes.map((lane) => lockKey(laneKey(lane))))].toSorted();
  await rowsOf(transaction, 'SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS locks(key)', [
    keys,
  ]);
}

/** The lanes in which a delivery is queued, as `laneKey`. Lock them first. */
export async function occupiedLanes(transaction: Transaction, lanes: readonly Lane[]): Promise<Set<string>> {
  if (lanes.length === 0) return new Set();
  const rows = await rowsOf<Lane>(
    transaction,
    `SELECT DISTINCT l.target, l.lane FROM unnest($1::bigint[], $2::text[]) AS l(target, lane)
     WHERE EXISTS (SELECT 1 FROM deliveries d
       WHERE d.target_id = l.target AND d.lane = l.lane AND d.finished_at IS NULL)`,
    columnsOf(lanes, 'target', 'lane'),
  );
  return new Set(rows.map(laneKey));
}

/**
 * Makes the first unfinished delivery of each lane due if it is waiting: its predecessor has left the lane. Changes
 * nothing if it is due already, or is a dead letter that blocks the lane.
 */
export async function promote(transaction: Transaction, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return;
  await lockLanes(transaction, lanes);
  const promoted = await rowsOf<PromotedDelivery>(
    transaction,
    `UPDATE deliveries d SET state = 'pending', due_at = $3::bigint
     FROM (SELECT DISTINCT target, lane FROM unnest($1::bigint[], $2::text[]) AS u(target, lane)) l,
     LATERAL (
       SELECT event_seq, n FROM deliveries
       WHERE target_id = l.target AND lane = l.lane AND finished_at IS NULL ORDER BY event_seq, n LIMIT 1) f
     WHERE d.event_seq = f.event_seq AND d.target_id = l.target AND d.n = f.n AND d.state = 'waiting'
     RETURNING d.event_seq AS seq, d.target_id AS target, d.n, d.lane`,
    [...columnsOf(lanes, 'target', 'lane'), transaction.now],
  );
  transaction.promoted.push(...promoted);
}

/** No lane waits for the dead letters of events that were delivered by another delivery. */
export async function releaseDelivered(
  transaction: Transaction,
  keys: readonly DeliveryKey[],
  at: number,
): Promise<void> {
  if (keys.length === 0) return;
  const lanes = await rowsOf<Lane>(
    transaction,
    `UPDATE deliveries SET finished_at = $3::bigint FROM unnest($1::bigint[], $2::bigint[]) AS k(seq, target)
     WHERE event_seq = k.seq AND target_id = k.target AND ${IS_DELIVERED_SINCE} RETURNING target_id AS target, lane`,
    [...columnsOf(keys, 'seq', 'target'), at],
  );
  await subtractDeadLetters(transaction, lanes);
  await promote(transaction, lanes);
}

/** Of 64 bits, as text. Two lanes with the same key only wait for each other. */
const lockKey = (text: string) => createHash('sha1').update(text).digest().readBigInt64BE().toString();
