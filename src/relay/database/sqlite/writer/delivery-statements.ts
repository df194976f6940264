import { COMMON_SQL } from '../../journal/common-sql';
import { IS_DELIVERED_SINCE } from '../../journal/delivery-conditions';
import type { Connection } from '../sqlite-driver';
import { BulkInsert } from './bulk-insert';

export type DeliveryStatements = ReturnType<typeof deliveryStatements>;

/** The statements of {@link SqliteDeliveries}. */
export const deliveryStatements = (connection: Connection) => ({
  ...perRow(connection),

  insert: connection.prepare(
    `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", replay_id, created_at, due_at, lane, class)
     VALUES (@seq, @target, @n, @state, @trigger, @replayId, @at, @dueAt, @lane, @class)`,
  ),
  last: connection.prepare(
    `SELECT n, state = 'dead' AND finished_at IS NOT NULL AS "isReplaced" FROM deliveries
     WHERE event_seq = @seq AND target_id = @target ORDER BY n DESC LIMIT 1`,
  ),
  indexTarget: connection.prepare(
    'INSERT INTO delivery_targets(target_id, event_seq) VALUES (@target, @seq) ON CONFLICT DO NOTHING',
  ),
  insertEditedBody: connection.prepare(COMMON_SQL.insertEditedBody),
  copyEditedBody: connection.prepare(COMMON_SQL.copyEditedBody),

  leaveLane: connection.prepare(
    `UPDATE deliveries SET finished_at = @at
     WHERE event_seq = @seq AND target_id = @target AND n = @n AND state = 'dead' AND finished_at IS NULL RETURNING lane`,
  ),
  releaseDelivered: connection.prepare(
    `UPDATE deliveries SET finished_at = @at WHERE event_seq = @seq AND target_id = @target AND ${IS_DELIVERED_SINCE}
     RETURNING lane`,
  ),
  unfinishedInLane: connection.prepare(COMMON_SQL.unfinishedInLane),
  firstState: connection.prepare(COMMON_SQL.firstState),

  updateLastAttempt: connection.prepare(COMMON_SQL.updateLastAttempt),
  eraseExcerpt: connection.prepare(COMMON_SQL.eraseExcerpt),
  erased: connection.prepare('SELECT 1 FROM erased_events WHERE seq = ?'),
  deleteAttempt: connection.prepare(COMMON_SQL.deleteAttempt),

  endable: connection.prepare(COMMON_SQL.endable),
  makeDead: connection.prepare(COMMON_SQL.makeDead),
  cancel: connection.prepare(COMMON_SQL.cancel),
});

/** Run for every event or result, so by position: binding by name takes a quarter more CPU time. */
const perRow = (connection: Connection) => ({
  insertLive: new BulkInsert(
    connection,
    'INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at)',
    `(?, ?, 0, 'pending', 'live', ?, ?)`,
  ),
  insertInLane: connection.prepare(
    `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at, lane)
     VALUES (?, ?, 0, ?, 'live', ?, ?, ?)`,
  ),
  firstInLane: connection.prepare(
    `SELECT event_seq FROM deliveries INDEXED BY deliveries_lane
     WHERE target_id = ? AND lane = ? AND finished_at IS NULL LIMIT 1`,
  ),
  // Changes nothing if the first in the lane is due already, or is a dead letter that blocks the lane.
  promoteFirst: connection.prepare(
    `UPDATE deliveries SET state = 'pending', due_at = ? WHERE state = 'waiting' AND (event_seq, target_id, n) = (
       SELECT event_seq, target_id, n FROM deliveries INDEXED BY deliveries_lane
       WHERE target_id = ? AND lane = ? AND finished_at IS NULL ORDER BY event_seq, n LIMIT 1)
     RETURNING event_seq AS seq, target_id AS target, n, lane`,
  ),
  insertAttempt: connection.prepare(
    `INSERT INTO attempts(event_seq, target_id, n, number, at, duration_ms, status, error, excerpt, transform, previous)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  succeed: connection.prepare(
    `UPDATE deliveries SET state = 'succeeded', attempts = ?, due_at = NULL, finished_at = ?, last_status = ?, last_error = NULL
     WHERE event_seq = ? AND target_id = ? AND n = ? AND due_at IS NOT NULL`,
  ),
  fail: connection.prepare(
    `UPDATE deliveries SET state = ?, attempts = ?, due_at = ?, finished_at = ?, last_status = ?, last_error = ?,
       class = max(class, ?), uncounted = ?, note = ?
     WHERE event_seq = ? AND target_id = ? AND n = ? AND due_at IS NOT NULL`,
  ),
});
