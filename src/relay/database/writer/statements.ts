import { DEAD_LETTERS, IS_UNFINISHED } from '../journal/held-events';
import { UNDATED_MINUTE } from '../journal';
import type { Connection } from '../sqlite-driver';

export type Statements = ReturnType<typeof sqliteStatements>;

/** The writer's statements, prepared once. */
export function sqliteStatements(connection: Connection) {
  const prepare = (sql: string) => connection.prepare(sql);
  return {
    begin: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    rollback: prepare('ROLLBACK'),
    savepoint: prepare('SAVEPOINT part'),
    release: prepare('RELEASE part'),
    rollbackToSavepoint: prepare('ROLLBACK TO part'),

    start: prepare(
      'SELECT tag, indexed_through, (SELECT coalesce(max(seq), 0) FROM events) AS last_seq FROM instance',
    ),

    claimIdentity: prepare('INSERT OR IGNORE INTO identities(minute, hash, seq) VALUES (?, ?, ?)'),
    firstOfIdentity: prepare(
      'SELECT seq, received_at FROM events WHERE seq = (SELECT seq FROM identities WHERE minute = ? AND hash = ?)',
    ),
    takeOverIdentity: prepare('UPDATE identities SET seq = ? WHERE minute = ? AND hash = ?'),
    insertDuplicate: prepare(
      `INSERT INTO duplicates(event_seq, n, received_at, state, delivered_to)
       SELECT ?, coalesce(max(n), 0) + 1, ?, ?, ? FROM duplicates WHERE event_seq = ?`,
    ),
    openInLane: prepare(
      'SELECT n FROM deliveries WHERE event_seq = ? AND target_id = ? AND lane = ? AND settled_at IS NULL LIMIT 1',
    ),
    insertEvent: prepare(
      `INSERT INTO events(seq, received_at, occurred_at, type, entity, name, webhook_id, unreadable, content_type, headers,
         signature_header, signature_value, body, planned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertDelivery: prepare(
      `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at)
       VALUES (?, ?, 0, 'pending', 'live', ?, ?)`,
    ),
    insertLaneDelivery: prepare(
      `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at, lane)
       VALUES (?, ?, 0, ?, 'live', ?, ?, ?)`,
    ),

    firstInLane: prepare(
      `SELECT event_seq FROM deliveries INDEXED BY deliveries_lane
       WHERE target_id = ? AND lane = ? AND settled_at IS NULL LIMIT 1`,
    ),
    // The first in its lane, unless it is pending already or stops the lane.
    promoteFirst: prepare(
      `UPDATE deliveries SET state = 'pending', due_at = ? WHERE state = 'waiting' AND (event_seq, target_id, n) = (
         SELECT event_seq, target_id, n FROM deliveries INDEXED BY deliveries_lane
         WHERE target_id = ? AND lane = ? AND settled_at IS NULL ORDER BY event_seq, n LIMIT 1)
       RETURNING event_seq AS seq, target_id AS target, n, lane`,
    ),

    insertAttempt: prepare(
      `INSERT INTO attempts(event_seq, target_id, n, number, at, duration_ms, status, error, excerpt)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    succeedDelivery: prepare(
      `UPDATE deliveries SET state = 'succeeded', attempts = ?, due_at = NULL, settled_at = ?, last_status = ?, last_error = NULL
       WHERE event_seq = ? AND target_id = ? AND n = ? AND due_at IS NOT NULL`,
    ),
    failDelivery: prepare(
      `UPDATE deliveries SET state = ?, attempts = ?, due_at = ?, settled_at = ?, last_status = ?, last_error = ?,
         class = max(class, ?), spared = ?, note = ?
       WHERE event_seq = ? AND target_id = ? AND n = ? AND due_at IS NOT NULL`,
    ),
    // A delivery that was concluded during its last attempt stays concluded.
    countAttempt: prepare(
      `UPDATE deliveries SET attempts = ?, last_status = ?, last_error = ? WHERE event_seq = ? AND target_id = ? AND n = ?`,
    ),
    removeAttempt: prepare(
      'DELETE FROM attempts WHERE event_seq = ? AND target_id = ? AND n = ? AND number = ?',
    ),
    lastDelivery: prepare(
      'SELECT n, state FROM deliveries WHERE event_seq = ? AND target_id = ? ORDER BY n DESC LIMIT 1',
    ),
    scheduleDelivery: prepare(
      `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", replay_id, created_at, due_at, lane, class)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertEditedBody: prepare('INSERT INTO edited_bodies(event_seq, target_id, n, body) VALUES (?, ?, ?, ?)'),
    repeatEditedBody: prepare(
      `INSERT INTO edited_bodies(event_seq, target_id, n, body)
       SELECT event_seq, target_id, ?, body FROM edited_bodies WHERE event_seq = ? AND target_id = ? AND n = ?`,
    ),
    concludable: prepare(
      `SELECT state AS was, replay_id AS replayId, lane FROM deliveries WHERE event_seq = ? AND target_id = ? AND n = ?
       AND state IN ('waiting', 'pending', 'retrying', 'dead')`,
    ),
    firstInLaneState: prepare(
      `SELECT state FROM deliveries INDEXED BY deliveries_lane
       WHERE target_id = ? AND lane = ? AND settled_at IS NULL ORDER BY event_seq, n LIMIT 1`,
    ),
    endDelivery: prepare(
      `UPDATE deliveries SET state = 'dead', due_at = NULL, settled_at = ?, note = ?, last_status = NULL, last_error = ?
       WHERE event_seq = ? AND target_id = ? AND n = ?`,
    ),
    concludeDelivery: prepare(
      `UPDATE deliveries SET state = 'cancelled', due_at = NULL, settled_at = coalesce(settled_at, ?), note = ?
       WHERE event_seq = ? AND target_id = ? AND n = ?`,
    ),

    held: prepare(
      `SELECT seq, ${IS_UNFINISHED} AS unfinished, ${DEAD_LETTERS} AS "deadLetters" FROM events e WHERE seq = ?`,
    ),
    unfinished: prepare(
      `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
       WHERE event_seq = ? AND settled_at IS NULL ORDER BY n`,
    ),
    removeEvent: [
      'DELETE FROM event_types WHERE (type, seq) IN (SELECT type, seq FROM events WHERE seq = ?)',
      'DELETE FROM event_entities WHERE (entity, seq) IN (SELECT entity, seq FROM events WHERE seq = ?)',
      'DELETE FROM delivery_targets WHERE (target_id, event_seq) IN (SELECT target_id, event_seq FROM deliveries WHERE event_seq = ?)',
      'DELETE FROM deliveries WHERE event_seq = ?',
      'DELETE FROM attempts WHERE event_seq = ?',
      'DELETE FROM duplicates WHERE event_seq = ?',
      'DELETE FROM edited_bodies WHERE event_seq = ?',
      `DELETE FROM identities WHERE minute <= ${UNDATED_MINUTE} AND seq = ?`,
      'DELETE FROM events WHERE seq = ?',
    ].map(prepare),
    addGoing: prepare('INSERT INTO temp.going(seq) VALUES (?)'),
    clearGoing: prepare('DELETE FROM temp.going'),
    notePruned: prepare('UPDATE instance SET pruned_through = max(pruned_through, ?)'),
    oldestReceivedAt: prepare('SELECT received_at FROM events ORDER BY seq LIMIT 1'),
    // By minute alone: an event kept longer for an unfinished delivery only loses the detection of its duplicates.
    removeIdentities: prepare(
      `DELETE FROM identities WHERE (minute, hash) IN (
         SELECT minute, hash FROM identities WHERE minute > 0 AND minute < ? LIMIT ?)`,
    ),

    pages: prepare(
      `SELECT page_size AS page, page_count AS count, freelist_count AS free
       FROM pragma_page_size(), pragma_page_count(), pragma_freelist_count()`,
    ),

    indexTypes: prepare(
      'INSERT OR IGNORE INTO event_types(type, seq) SELECT type, seq FROM events WHERE seq > ? AND seq <= ? ORDER BY type, seq',
    ),
    indexEntities: prepare(
      `INSERT OR IGNORE INTO event_entities(entity, seq)
       SELECT entity, seq FROM events WHERE seq > ? AND seq <= ? AND entity IS NOT NULL ORDER BY entity, seq`,
    ),
    indexTargets: prepare(
      `INSERT OR IGNORE INTO delivery_targets(target_id, event_seq)
       SELECT target_id, event_seq FROM deliveries WHERE event_seq > ? AND event_seq <= ? ORDER BY target_id, event_seq`,
    ),
    indexTarget: prepare('INSERT OR IGNORE INTO delivery_targets(target_id, event_seq) VALUES (?, ?)'),
    setIndexedThrough: prepare('UPDATE instance SET indexed_through = ?'),
  };
}
