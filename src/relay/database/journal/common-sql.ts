import { ALL_TARGETS, MINUTE_MS } from './traffic-counts';

const KEY = 'event_seq = @seq AND target_id = @target AND n = @n';

/** The number of identities that one step of retention removes at most. */
const STEP_IDENTITIES = 50;

/** The version in the index of an event that says nothing about the state of its entity: it is unreadable. */
const NO_STATE = -1;

/**
 * SQL: adds the entities of a range of events to their index.
 * @param version SQL for that of the record in an event
 */
export const indexEntities = (version: string) => `INSERT INTO event_entities(entity, seq, version)
  SELECT entity, seq, CASE WHEN unreadable IS NULL THEN ${version} ELSE ${NO_STATE} END
  FROM events WHERE seq > @after AND seq <= @through AND entity IS NOT NULL
  ORDER BY entity, seq ON CONFLICT DO NOTHING`;

/** Statements that the writers of both engines run. Their parameters are bound by name. */
export const COMMON_SQL = {
  endable: `SELECT state AS "previousState", replay_id AS "replayId", lane FROM deliveries
    WHERE ${KEY} AND state IN ('waiting', 'pending', 'retrying', 'dead')`,
  makeDead: `UPDATE deliveries SET state = 'dead', due_at = NULL, finished_at = @finishedAt, note = @note, last_status = NULL,
    last_error = @ending WHERE ${KEY}`,
  cancel: `UPDATE deliveries SET state = 'cancelled', due_at = NULL, finished_at = coalesce(finished_at, @at), note = @note
    WHERE ${KEY}`,
  firstState: `SELECT state FROM deliveries INDEXED BY deliveries_lane
    WHERE target_id = @target AND lane = @lane AND finished_at IS NULL ORDER BY event_seq, n LIMIT 1`,
  unfinishedInLane: `SELECT n FROM deliveries
    WHERE event_seq = @seq AND target_id = @target AND lane = @lane AND finished_at IS NULL LIMIT 1`,
  updateLastAttempt: `UPDATE deliveries SET attempts = @number, last_status = @status, last_error = @error WHERE ${KEY}`,
  // Of an attempt that was in flight while its event was erased.
  eraseExcerpt: `UPDATE attempts SET excerpt = NULL WHERE ${KEY} AND number = @number
    AND EXISTS (SELECT 1 FROM erased_events WHERE seq = @seq)`,
  deleteAttempt: `DELETE FROM attempts WHERE ${KEY} AND number = @number`,
  insertEditedBody:
    'INSERT INTO edited_bodies(event_seq, target_id, n, body) VALUES (@seq, @target, @n, @body)',
  copyEditedBody: `INSERT INTO edited_bodies(event_seq, target_id, n, body)
    SELECT event_seq, target_id, @n, body FROM edited_bodies WHERE event_seq = @seq AND target_id = @target AND n = @from`,

  insertDuplicate: `INSERT INTO duplicates(event_seq, n, received_at, state, delivered_to)
    SELECT @seq, coalesce(max(n), 0) + 1, @receivedAt, @state, @deliveredTo FROM duplicates WHERE event_seq = @seq`,
  indexTypes: `INSERT INTO event_types(type, seq) SELECT type, seq FROM events WHERE seq > @after AND seq <= @through
    ORDER BY type, seq ON CONFLICT DO NOTHING`,
  // Co-Pilot's events: system events carry no signature.
  countEvents: `INSERT INTO traffic_minutes AS t(minute, target, events, delivered, failed, dead)
    SELECT received_at / ${MINUTE_MS}, ${ALL_TARGETS}, count(*), 0, 0, 0 FROM events
    WHERE seq > @after AND seq <= @through AND signature_header <> '' GROUP BY 1 ORDER BY 1
    ON CONFLICT(minute, target) DO UPDATE SET events = t.events + excluded.events`,

  // By minute alone: of an event that stays because of an unfinished delivery, duplicates are no longer recognized.
  removeIdentities: `DELETE FROM identities WHERE (minute, hash) IN (
    SELECT minute, hash FROM identities WHERE minute > 0 AND minute < @minute LIMIT ${STEP_IDENTITIES})`,
};
