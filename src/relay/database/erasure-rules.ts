import { IS_DEAD_LETTER } from './journal/delivery-conditions';
import type { EraseStep } from './journal/journal';
import { inJsonList } from './reading/dialect';

/** What takes the place of an erased body: JSON, as every body is whose event has a type. */
const ERASED_BODY = Buffer.from('{}');

/** Types of system events that quote responses. */
export const QUOTING_EVENTS = ['relay.target.down', 'relay.target.failing'];

/** Why deliveries of an erased event ended, and instead of the notes of others. */
export const ERASED_NOTE = 'The event was erased.';

const ERASED = inJsonList('@seqs');

/** SQL: whether event `e` was not erased. */
export const NOT_ERASED = 'NOT EXISTS (SELECT 1 FROM erased_events x WHERE x.seq = e.seq)';

/** SQL: the events of `@entity` up to `@until`. */
export const EVENTS_OF_ENTITY = `SELECT seq FROM event_entities WHERE entity = @entity AND seq <= @until UNION
  SELECT e.seq FROM events e WHERE e.entity = @entity AND e.seq <= @until AND e.seq > (SELECT indexed_through FROM instance)`;

/** SQL: whether an erasure ends delivery `d`: it is queued, or a dead letter. */
export const CAN_BE_ENDED = `(d.finished_at IS NULL OR d.state = 'dead' AND ${IS_DEAD_LETTER})`;

/** SQL: the deliveries of events that are about to be erased which can still be ended. */
export const ENDED_BY_ERASURE = `SELECT d.event_seq AS seq, d.target_id AS target, d.n FROM deliveries d
  WHERE d.event_seq ${ERASED} AND ${CAN_BE_ENDED}
  ORDER BY d.event_seq DESC, d.n DESC`;

/** The parameters of all statements here. */
export const erasureParameters = ({ seqs, ...parameters }: EraseStep) => ({
  ...parameters,
  seqs: JSON.stringify(seqs),
  body: ERASED_BODY,
});

/**
 * Every table in which something of an event or an entity may lie, with the statements that erase it, in their order.
 * They are run for a few events at a time, in one transaction, whose numbers are in `@seqs`, and for the entity `@entity`,
 * which is null if only single events are erased; `@erasure` is the number of the erasure, `@at` the time. Together with
 * the two lists below, all tables are named: a test fails for one that is not.
 */
export const ERASURE_RULES: Readonly<Record<string, readonly string[]>> = {
  // First, while the events still have it.
  entity_floor: [
    `DELETE FROM entity_floor WHERE entity IN (SELECT entity FROM events WHERE seq ${ERASED}) AND seq ${ERASED}`,
    'DELETE FROM entity_floor WHERE entity = @entity',
  ],
  event_entities: [
    `DELETE FROM event_entities WHERE (entity, seq) IN (SELECT entity, seq FROM events WHERE seq ${ERASED})`,
  ],
  erased_events: [
    `INSERT INTO erased_events(seq, erasure, erased_at, size) SELECT seq, @erasure, @at, length(body) FROM events
     WHERE seq ${ERASED} ON CONFLICT DO NOTHING`,
  ],
  events: [
    `UPDATE events SET entity = NULL, name = NULL, unreadable = 'It was erased.', content_type = NULL, headers = '[]',
       signature_value = '', body = @body WHERE seq ${ERASED}`,
  ],
  duplicates: [`DELETE FROM duplicates WHERE event_seq ${ERASED}`],
  deliveries: [
    `UPDATE deliveries SET lane = NULL, note = CASE WHEN note IS NOT NULL THEN '${ERASED_NOTE}' END WHERE event_seq ${ERASED}`,
  ],
  attempts: [
    `UPDATE attempts SET excerpt = NULL WHERE event_seq ${ERASED} AND excerpt IS NOT NULL`,
    `UPDATE attempts SET excerpt = NULL WHERE previous > 0 AND previous ${ERASED} AND excerpt IS NOT NULL`,
  ],
  edited_bodies: [`DELETE FROM edited_bodies WHERE event_seq ${ERASED}`],
  repair_items: [`DELETE FROM repair_items WHERE entity = @entity OR event_seq ${ERASED}`],
};

/** Removes the hashes by which repetitions of the events `@seqs` are recognized. */
export const ERASED_IDENTITIES: readonly string[] = [
  `DELETE FROM recent_identities WHERE seq ${ERASED}`,
  `DELETE FROM identities WHERE minute <= 0 AND seq ${ERASED}`,
  `DELETE FROM identities WHERE seq ${ERASED}
     AND minute IN (SELECT occurred_at / 60000 FROM events WHERE seq ${ERASED})`,
];

/** Tables of which the feature `erasures` erases what has to be compared with the events themselves. */
export const ERASED_BY_COMPARISON: readonly string[] = [
  'alerts',
  'identities',
  'payload_schema_versions',
  'payload_schemas',
  'recent_identities',
  'replays',
  'saved_views',
  'targets',
];

/** Tables without data of an event or an entity. `erasures` names the entity: that is the record of the act. */
export const HOLDS_NO_EVENTS: readonly string[] = [
  'api_tokens',
  'audit',
  'clock',
  'configured_targets',
  'consumers',
  'dead_letter_counts',
  'delivery_jobs',
  'delivery_targets',
  'erasures',
  'error_hours',
  'error_minutes',
  'event_types',
  'grants',
  'heartbeat',
  'instance',
  'login_links',
  'migrations',
  'oauth_states',
  'outages',
  'published_states',
  'rejection_drops',
  'rejections',
  'repairs',
  'routed',
  'router',
  'schema_position',
  'sessions',
  'snoozes',
  'subscription_drift',
  'subscriptions',
  'target_transforms',
  'traffic_baseline',
  'traffic_hours',
  'traffic_minutes',
  // Of PostgreSQL. What daemons tell each other (`commits`) is removed after a minute, which an erasure waits for.
  'commits',
  'daemons',
  'event_bytes',
  'generations',
  'last_event',
  'leader',
  'target_owners',
  'told',
  'writers',
];
