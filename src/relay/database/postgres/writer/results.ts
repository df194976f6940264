import { deliveryKeyText, type DeliveryKey } from '../../../ground/ids';
import { COMMON_SQL } from '../../journal/common-sql';
import { PRIORITY, type DeliveryResult } from '../../journal/journal';
import { unpackResult, type PackedResult } from '../../journal/packed-rows';
import { countDeadLetters } from './dead-letters';
import { promote, releaseDelivered } from './lanes';
import { holdTargets } from './shared-writing';
import { columnsOf, rowsOf, type Transaction } from './transaction';

/**
 * Saves the results for targets that this daemon still owns; the owners of other targets make those attempts again.
 * @returns for each result whether it took effect: false also if its delivery was ended during the attempt
 */
export async function saveOwnResults(
  transaction: Transaction,
  daemon: string,
  packed: readonly PackedResult[],
): Promise<boolean[]> {
  if (packed.length === 0) return [];
  const results = packed.map(unpackResult);
  const isHeld = await holdTargets(transaction, daemon, results.map(tenureOf));
  const own = results.filter((result) => isHeld(tenureOf(result)));
  if (own.length < results.length)
    transaction.log.warn(
      { results: results.length - own.length },
      'results were not written: another daemon delivers to their targets',
    );
  const tookEffect = (await saveResults(transaction, own)).values();
  return results.map((result) => isHeld(tenureOf(result)) && tookEffect.next().value!);
}

const tenureOf = ({ key, ownerEpoch }: DeliveryResult) => ({
  asOwnerOf: key.target,
  ownerEpoch: ownerEpoch ?? 0,
});

async function saveResults(transaction: Transaction, results: readonly DeliveryResult[]): Promise<boolean[]> {
  if (results.length === 0) return [];
  const [, changed] = await Promise.all([
    insertAttempts(transaction, results),
    updateDeliveries(transaction, results),
  ]);
  const tookEffect = results.map(({ key }) => changed.has(deliveryKeyText(key)));
  const effective = results.filter((_, i) => tookEffect[i]);
  const ended = results.filter((_, i) => !tookEffect[i]);
  await recordAttemptsOfEnded(transaction, ended);
  await promote(
    transaction,
    effective.flatMap((result) =>
      result.lane !== null && leavesLane(result) ? [{ target: result.key.target, lane: result.lane }] : [],
    ),
  );
  const dead = effective.filter(({ state }) => state === 'dead').map(({ key }) => key);
  await countDeadLetters(transaction, dead, 1);
  const mayRelease = effective.filter(({ key, state, blocksLane }) =>
    state === 'succeeded' ? key.n > 0 : blocksLane,
  );
  await releaseDelivered(
    transaction,
    mayRelease.map(({ key }) => key),
    Math.max(...mayRelease.map(({ attempt }) => attempt.at + attempt.durationMs)),
  );
  for (const result of effective) transaction.traffic.recordAttempt(result);
  return tookEffect;
}

const leavesLane = ({ state, blocksLane }: DeliveryResult) => state !== 'retrying' && !blocksLane;

const keysOf = (results: readonly DeliveryResult[]) => [
  results.map(({ key }) => key.seq),
  results.map(({ key }) => key.target),
  results.map(({ key }) => key.n),
];

/** Null if what was `$previous` of the attempt was erased while it was in flight: it may quote that. */
const EXCERPT = 'CASE WHEN NOT EXISTS (SELECT 1 FROM erased_events WHERE seq = r.previous) THEN excerpt END';

async function insertAttempts(transaction: Transaction, results: readonly DeliveryResult[]): Promise<void> {
  const attempts = results.map(({ attempt }) => attempt);
  await rowsOf(
    transaction,
    `INSERT INTO attempts(event_seq, target_id, n, number, at, duration_ms, status, error, excerpt,
       transform, previous)
     SELECT r.seq, target, n, number, at, ms, status, error, ${EXCERPT}, transform, previous
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
       $8::text[], $9::text[], $10::bigint[], $11::bigint[])
       AS r(seq, target, n, number, at, ms, status, error, excerpt, transform, previous)`,
    [
      ...keysOf(results),
      ...columnsOf(
        attempts,
        'number',
        'at',
        'durationMs',
        'status',
        'error',
        'excerpt',
        'transform',
        'previous',
      ),
    ],
  );
}

/** @returns the names of the deliveries that were changed */
async function updateDeliveries(
  transaction: Transaction,
  results: readonly DeliveryResult[],
): Promise<Set<string>> {
  const rows = await rowsOf<DeliveryKey>(
    transaction,
    `UPDATE deliveries d SET state = r.state, attempts = r.number, due_at = r.due_at, finished_at = r.finished_at,
       last_status = r.status, last_error = r.error,
       class = CASE r.state WHEN 'succeeded' THEN d.class ELSE greatest(d.class, r.class) END,
       uncounted = CASE r.state WHEN 'succeeded' THEN d.uncounted ELSE r.uncounted END,
       note = CASE r.state WHEN 'succeeded' THEN d.note ELSE r.note END
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
       $9::text[], $10::bigint[], $11::bigint[], $12::text[])
       AS r(seq, target, n, state, number, due_at, finished_at, status, error, class, uncounted, note)
     WHERE d.event_seq = r.seq AND d.target_id = r.target AND d.n = r.n AND d.due_at IS NOT NULL
     RETURNING d.event_seq AS seq, d.target_id AS target, d.n`,
    [
      ...keysOf(results),
      results.map(({ state }) => state),
      results.map(({ attempt }) => attempt.number),
      results.map(({ state, dueAt }) => (state === 'succeeded' ? null : dueAt)),
      results.map((result) => (leavesLane(result) ? result.attempt.at + result.attempt.durationMs : null)),
      // An ending is the cause instead of the attempt's outcome, so there is no status beside it.
      results.map(({ attempt, ending }) => (ending === undefined ? attempt.status : null)),
      results.map(({ state, attempt, ending }) => (state === 'succeeded' ? null : (ending ?? attempt.error))),
      results.map(({ state }) => (state === 'retrying' ? PRIORITY.retry : PRIORITY.live)),
      ...columnsOf(results, 'uncounted', 'note'),
    ],
  );
  return new Set(rows.map(deliveryKeyText));
}

/**
 * The deliveries were ended during the attempt, so only their last attempt is updated, and the metrics do not count the
 * attempt. If a delivery was removed, the attempt is too.
 */
async function recordAttemptsOfEnded(
  transaction: Transaction,
  results: readonly DeliveryResult[],
): Promise<void> {
  for (const { key, attempt } of results) {
    const last = [{ ...key, ...attempt }];
    const updated = await rowsOf(transaction, `${COMMON_SQL.updateLastAttempt} RETURNING n`, last);
    const rest = updated.length === 0 ? COMMON_SQL.deleteAttempt : COMMON_SQL.eraseExcerpt;
    await rowsOf(transaction, rest, last);
  }
}
