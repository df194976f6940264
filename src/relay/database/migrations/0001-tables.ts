import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the first release. All times are ms since 1970. `number` is a row key that never leaves the daemon,
 * `id` the public one; `seq` is an event's position in commit order, and `n` counts the deliveries of one event to
 * one target. `target` and `target_id` are the `number` of a target.
 *
 * The tables on the path of an event are designed for few dirty pages, since every scattered key costs a page of the
 * write-ahead log: `events` has no index except its key, and event_types, event_entities and delivery_targets are
 * filled in sorted passes, about a thousand events behind. Readers scan the tail that is not indexed yet.
 */
export class FirstTables0000000000001 implements MigrationInterface {
  /** The 13 digits are the number of the migration; TypeORM applies migrations in the order of these digits. */
  name = 'FirstTables0000000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...EVENTS, ...DELIVERIES, ...UPSTREAM, ...OPERATIONS, ...ACCESS])
      await runner.query(statement);
  }

  down(): Promise<void> {
    throw new Error('The first migration cannot be reverted.');
  }
}

const EVENTS = [
  `CREATE TABLE instance(
     id INTEGER PRIMARY KEY CHECK (id = 1),
     tag INTEGER NOT NULL,              -- 40 random bits in every public id, so that ids of two databases differ
     indexed_through INTEGER NOT NULL,  -- the newest seq in the sorted indexes
     pruned_through INTEGER NOT NULL DEFAULT 0,  -- the highest seq that retention removed; a gap above it is a loss
     key_check TEXT                     -- an encrypted text that only the right secret key decrypts
   )`,
  `INSERT INTO instance(id, tag, indexed_through) VALUES (1, abs(random() % 1099511627776), 0)`,

  `CREATE TABLE events(
     seq INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, occurred_at INTEGER,
     type TEXT NOT NULL, entity TEXT, name TEXT, webhook_id TEXT,
     unreadable TEXT,                 -- why the body could not be parsed
     content_type TEXT, headers TEXT NOT NULL, signature_header TEXT NOT NULL, signature_value TEXT NOT NULL,
     planned INTEGER,                 -- the number of targets that deliveries were planned for
     body BLOB NOT NULL               -- last, so that reading another column never has to follow its overflow pages
   )`,
  `CREATE TABLE event_types(type TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (type, seq)) WITHOUT ROWID`,
  `CREATE TABLE event_entities(entity TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (entity, seq)) WITHOUT ROWID`,

  // Keyed by minute first, so that the table grows at its end. Minute 0: the timestamp is unreadable; -1: a system
  // event.
  `CREATE TABLE identities(
     minute INTEGER NOT NULL, hash BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (minute, hash)) WITHOUT ROWID`,
  `CREATE INDEX identities_undated ON identities(seq) WHERE minute <= 0`,

  `CREATE TABLE duplicates(
     event_seq INTEGER NOT NULL, n INTEGER NOT NULL, received_at INTEGER NOT NULL,
     state TEXT NOT NULL DEFAULT 'held',
     delivered_to TEXT,               -- JSON: the numbers of the targets it was delivered to on arrival
     PRIMARY KEY (event_seq, n)) WITHOUT ROWID`,
  `CREATE INDEX duplicates_received ON duplicates(received_at)`,
  `CREATE INDEX duplicates_state ON duplicates(state, received_at)`,

  `CREATE TABLE rejections(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, received_at INTEGER NOT NULL, reason TEXT NOT NULL,
     subscription_id INTEGER NOT NULL, address TEXT, headers TEXT NOT NULL, body BLOB NOT NULL)`,
  // One row: how many rejections were dropped.
  `CREATE TABLE rejection_drops(count INTEGER NOT NULL, first_at INTEGER, last_at INTEGER)`,
  `INSERT INTO rejection_drops(count) VALUES (0)`,
];

const DELIVERIES = [
  `CREATE TABLE targets(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, url TEXT NOT NULL,
     events TEXT NOT NULL, filter TEXT, policy TEXT NOT NULL DEFAULT '{}',
     headers TEXT NOT NULL DEFAULT '[]', secret_headers TEXT, tls TEXT,
     secret TEXT NOT NULL, previous_secret TEXT, previous_secret_until INTEGER,
     enabled INTEGER NOT NULL,
     disabled_at INTEGER, disabled_reason TEXT,  -- set when Switchboard itself disabled it
     paused_at INTEGER, paused_reason TEXT, breaker TEXT,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER)`,
  `CREATE UNIQUE INDEX targets_name ON targets(name) WHERE deleted_at IS NULL`,

  // Unfinished while finished_at is null. A dead head that stops its lane stays unfinished, so that one index shows
  // both whether a lane is occupied and which delivery is next.
  `CREATE TABLE deliveries(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL,
     state TEXT NOT NULL, "trigger" TEXT NOT NULL, replay_id TEXT, lane TEXT,
     class INTEGER NOT NULL DEFAULT 0,  -- 0 live and manual, 1 retries, 2 replays and bulk
     attempts INTEGER NOT NULL DEFAULT 0,
     uncounted INTEGER NOT NULL DEFAULT 0, -- attempts that do not count towards the limit
     created_at INTEGER NOT NULL,
     due_at INTEGER,                    -- set exactly while an attempt is due; null behind the head of its lane
     finished_at INTEGER, last_status INTEGER, last_error TEXT, note TEXT,
     PRIMARY KEY (event_seq, target_id, n)) WITHOUT ROWID`,
  `CREATE INDEX deliveries_dead ON deliveries(event_seq) WHERE state = 'dead'`,
  `CREATE INDEX deliveries_due ON deliveries(target_id, class, due_at) WHERE due_at IS NOT NULL`,
  // finished_at is always null here; it is in the index so that the row need not be read.
  `CREATE INDEX deliveries_lane ON deliveries(target_id, lane, event_seq, n, finished_at)
     WHERE lane IS NOT NULL AND finished_at IS NULL`,
  `CREATE INDEX deliveries_replay ON deliveries(replay_id, state, target_id) WHERE replay_id IS NOT NULL`,
  `CREATE INDEX deliveries_queued ON deliveries(target_id, created_at) WHERE finished_at IS NULL AND state <> 'dead'`,
  // A delivery that succeeds at the first attempt is never added to it.
  `CREATE INDEX deliveries_failed ON deliveries(target_id, state, event_seq, n, last_error, last_status)
     WHERE state IN ('retrying', 'dead', 'cancelled')`,
  `CREATE TABLE delivery_targets(
     target_id INTEGER NOT NULL, event_seq INTEGER NOT NULL, PRIMARY KEY (target_id, event_seq)) WITHOUT ROWID`,
  `CREATE TABLE attempts(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, number INTEGER NOT NULL,
     at INTEGER NOT NULL, duration_ms INTEGER NOT NULL, status INTEGER, error TEXT, excerpt TEXT,
     PRIMARY KEY (event_seq, target_id, n, number)) WITHOUT ROWID`,
  // Sent instead of the event's body.
  `CREATE TABLE edited_bodies(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, body BLOB NOT NULL,
     PRIMARY KEY (event_seq, target_id, n)) WITHOUT ROWID`,
  // Per target, the number of dead letters without a later delivery of the same event.
  `CREATE TABLE dead_letter_counts(target INTEGER PRIMARY KEY, count INTEGER NOT NULL)`,

  `CREATE TABLE delivery_jobs(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL, selection TEXT NOT NULL,
     reason TEXT, state TEXT NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL,
     position TEXT, until_seq INTEGER NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER)`,
  `CREATE TABLE replays(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
     filter TEXT NOT NULL, event_seq INTEGER, target_ids TEXT, rate TEXT NOT NULL,
     until_seq INTEGER NOT NULL, position INTEGER NOT NULL,
     tracks TEXT,                       -- JSON: the progress of the targets that keep up and of each one that lags behind
     total INTEGER NOT NULL, estimated INTEGER NOT NULL DEFAULT 0, newest_at INTEGER,
     events INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0,
     removed INTEGER NOT NULL DEFAULT 0,  -- events that retention removed before they were replayed
     report TEXT, created_at INTEGER NOT NULL, ended_at INTEGER)`,
  `CREATE INDEX replays_unfinished ON replays(number) WHERE ended_at IS NULL`,
  `CREATE INDEX replays_unplanned ON replays(number)
     WHERE ended_at IS NULL AND (position < until_seq OR until_seq = -1)`,
];

/** The connection to Co-Pilot. */
const UPSTREAM = [
  `CREATE TABLE grants(
     id INTEGER PRIMARY KEY CHECK (id = 1), base_url TEXT NOT NULL, client_id TEXT NOT NULL, scopes TEXT NOT NULL,
     tokens TEXT NOT NULL, state TEXT NOT NULL, problem TEXT, connected_at INTEGER NOT NULL, issued_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, renewal_started_at INTEGER, failures INTEGER NOT NULL, retry_at INTEGER)`,
  `CREATE TABLE oauth_states(
     state_hash TEXT PRIMARY KEY, redirect_uri TEXT NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER,
     exchanging_since INTEGER           -- if still set at startup, the exchange of the code was interrupted
   ) WITHOUT ROWID`,
  `CREATE TABLE subscriptions(
     id INTEGER PRIMARY KEY AUTOINCREMENT, secrets TEXT NOT NULL, base_url TEXT NOT NULL, public_url TEXT NOT NULL,
     events TEXT NOT NULL, state TEXT NOT NULL, problem TEXT, remedy TEXT,
     webhook_id TEXT,
     id_confirmed INTEGER NOT NULL DEFAULT 1,  -- whether webhook_id comes from Co-Pilot's API, not only from a notification
     signature_header TEXT, previous_signature_header TEXT,
     paused INTEGER NOT NULL DEFAULT 0,
     last_known_active INTEGER,         -- the "active" that Co-Pilot last reported
     url_seen INTEGER NOT NULL DEFAULT 0,      -- whether Co-Pilot's API has listed the webhook with our URL
     delete_first INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL, registered_at INTEGER, checked_at INTEGER, closed_at INTEGER)`,
  `CREATE TABLE subscription_drift(
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, field TEXT NOT NULL,
     "before" TEXT NOT NULL, "after" TEXT NOT NULL, outcome TEXT NOT NULL)`,
];

const OPERATIONS = [
  `CREATE TABLE clock(
     id INTEGER PRIMARY KEY CHECK (id = 1), wall_at INTEGER NOT NULL, latest_at INTEGER NOT NULL,
     doubts TEXT NOT NULL               -- JSON: the jumps ahead that are not trusted yet
   )`,
  `CREATE TABLE heartbeat(id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, expecting INTEGER NOT NULL)`,
  // Notifications per quarter of an hour.
  `CREATE TABLE traffic_baseline(quarter INTEGER PRIMARY KEY, notifications INTEGER NOT NULL)`,
  `CREATE TABLE outages(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, began_at INTEGER NOT NULL,
     ended_at INTEGER, usual_seconds INTEGER, published TEXT, dismissed_at INTEGER)`,
  // The last published state of connection and subscription.
  `CREATE TABLE published_states(topic TEXT PRIMARY KEY, state TEXT NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID`,
  // events_published counts the system events about an alert; published_at, published_count and published_state
  // describe the last of them.
  `CREATE TABLE alerts(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, subject TEXT NOT NULL,
     severity TEXT NOT NULL, sentence TEXT NOT NULL, remedy TEXT NOT NULL, data TEXT NOT NULL, quiet_after_ms INTEGER,
     count INTEGER NOT NULL, since INTEGER NOT NULL, last_at INTEGER NOT NULL, resolved_at INTEGER, resolution TEXT,
     events_published INTEGER NOT NULL, published_at INTEGER NOT NULL, published_count INTEGER NOT NULL,
     published_state TEXT)`,

  // Keyed by time first, so that current counts lie on one page. Minutes are merged into hours after a day. The row
  // of target 0 has the totals, and shows that the daemon was running. dead: deliveries that became dead letters.
  ...['minute', 'hour'].flatMap((unit) => [
    `CREATE TABLE traffic_${unit}s(
       ${unit} INTEGER NOT NULL, target INTEGER NOT NULL, events INTEGER NOT NULL,
       delivered INTEGER NOT NULL, failed INTEGER NOT NULL, dead INTEGER NOT NULL, PRIMARY KEY (${unit}, target)) WITHOUT ROWID`,
    `CREATE TABLE error_${unit}s(
       ${unit} INTEGER NOT NULL, target INTEGER NOT NULL, error TEXT NOT NULL, attempts INTEGER NOT NULL,
       latest_at INTEGER NOT NULL, PRIMARY KEY (${unit}, target, error)) WITHOUT ROWID`,
  ]),
];

const ACCESS = [
  `CREATE TABLE api_tokens(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
     token_hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, scopes TEXT NOT NULL,
     created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER)`,
  `CREATE TABLE login_links(token_hash TEXT PRIMARY KEY, credential TEXT, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE sessions(
     id TEXT PRIMARY KEY, token_hash TEXT NOT NULL, secret_hash TEXT NOT NULL,
     credential TEXT NOT NULL, opened_by TEXT NOT NULL, address TEXT NOT NULL, user_agent TEXT,
     created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE audit(
     number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, actor_id TEXT, actor_name TEXT,
     action TEXT NOT NULL, subject_id TEXT, subject_name TEXT, fields TEXT NOT NULL, secret_shown INTEGER NOT NULL,
     address TEXT, error TEXT)`,
];
