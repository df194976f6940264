import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the first release. All times are ms since 1970. `number` is a row key that never leaves the daemon, `id` the
 * public one; `seq` is an event's position in the order of commit, and `n` counts the deliveries of one event to one target.
 *
 * The tables on the path of one event are laid out for few dirty pages, since every scattered key costs a page of the log:
 * `events` has no index beside its key, and event_types, event_entities and delivery_targets are filled in sorted passes
 * some hundred events behind. Readers scan the tail that is not indexed yet.
 */
export class Tables0000000000001 implements MigrationInterface {
  /** The number of the migration as the 13 digits by which TypeORM sorts: they are applied in this order. */
  name = 'Tables0000000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...EVENTS, ...DELIVERIES, ...UPSTREAM, ...OPERATIONS, ...ACCESS])
      await runner.query(statement);
  }

  down(): Promise<void> {
    throw new Error('There is nothing before the first tables.');
  }
}

const EVENTS = [
  `CREATE TABLE instance(
     id INTEGER PRIMARY KEY CHECK (id = 1),
     tag INTEGER NOT NULL,              -- 40 random bits in every public id: ids of two databases never collide
     indexed_through INTEGER NOT NULL,  -- the newest seq that the sorted indexes hold
     pruned_through INTEGER NOT NULL DEFAULT 0,  -- the highest seq that retention removed: a gap beyond it is a loss
     key_check TEXT                     -- a sealed sentence that only the right secret key opens
   )`,
  `INSERT INTO instance(id, tag, indexed_through) VALUES (1, abs(random() % 1099511627776), 0)`,

  `CREATE TABLE events(
     seq INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, occurred_at INTEGER,
     type TEXT NOT NULL, entity TEXT, name TEXT, webhook_id TEXT,
     unreadable TEXT,                 -- why the body could not be parsed
     content_type TEXT, headers TEXT NOT NULL, signature_header TEXT NOT NULL, signature_value TEXT NOT NULL,
     planned INTEGER,                 -- the number of targets it was planned for
     body BLOB NOT NULL               -- last, so that no other column lies behind its overflow pages
   )`,
  `CREATE TABLE event_types(type TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (type, seq)) WITHOUT ROWID`,
  `CREATE TABLE event_entities(entity TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (entity, seq)) WITHOUT ROWID`,

  // Keyed by minute first, so that it grows at its end. Minute 0: the timestamp is unreadable; -1: a system event.
  `CREATE TABLE identities(
     minute INTEGER NOT NULL, hash BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (minute, hash)) WITHOUT ROWID`,
  `CREATE INDEX identities_undated ON identities(seq) WHERE minute <= 0`,

  `CREATE TABLE duplicates(
     event_seq INTEGER NOT NULL, n INTEGER NOT NULL, received_at INTEGER NOT NULL,
     state TEXT NOT NULL DEFAULT 'held',
     delivered_to TEXT,               -- JSON: the numbers of the targets that received it on arrival
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
     secret TEXT NOT NULL, secret_before TEXT, secret_before_until INTEGER,
     enabled INTEGER NOT NULL,
     disabled_at INTEGER, disabled_reason TEXT,  -- set when Switchboard itself disabled it
     paused_at INTEGER, paused_reason TEXT, breaker TEXT,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER)`,
  `CREATE UNIQUE INDEX targets_name ON targets(name) WHERE deleted_at IS NULL`,

  // Unfinished while settled_at is null. A dead head that stops its lane stays unfinished, so that one index answers both
  // whether a lane is taken and what comes next in it.
  `CREATE TABLE deliveries(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL,
     state TEXT NOT NULL, "trigger" TEXT NOT NULL, replay_id TEXT, lane TEXT,
     class INTEGER NOT NULL DEFAULT 0,  -- 0 live and manual, 1 retries, 2 replays and bulk
     attempts INTEGER NOT NULL DEFAULT 0,
     spared INTEGER NOT NULL DEFAULT 0, -- attempts that do not count
     created_at INTEGER NOT NULL,
     due_at INTEGER,                    -- set exactly while an attempt is due; null behind the head of its lane
     settled_at INTEGER, last_status INTEGER, last_error TEXT, note TEXT,
     PRIMARY KEY (event_seq, target_id, n)) WITHOUT ROWID`,
  `CREATE INDEX deliveries_dead ON deliveries(event_seq) WHERE state = 'dead'`,
  `CREATE INDEX deliveries_due ON deliveries(target_id, class, due_at) WHERE due_at IS NOT NULL`,
  // settled_at is always null here; having it in the index saves reading the row.
  `CREATE INDEX deliveries_lane ON deliveries(target_id, lane, event_seq, n, settled_at)
     WHERE lane IS NOT NULL AND settled_at IS NULL`,
  `CREATE INDEX deliveries_replay ON deliveries(replay_id, state, target_id) WHERE replay_id IS NOT NULL`,
  `CREATE INDEX deliveries_open ON deliveries(target_id, created_at) WHERE settled_at IS NULL AND state <> 'dead'`,
  // A delivery that succeeds at once never enters it.
  `CREATE INDEX deliveries_failed ON deliveries(target_id, state, event_seq, n, last_error, last_status)
     WHERE state IN ('retrying', 'dead', 'cancelled')`,
  `CREATE TABLE delivery_targets(
     target_id INTEGER NOT NULL, event_seq INTEGER NOT NULL, PRIMARY KEY (target_id, event_seq)) WITHOUT ROWID`,
  `CREATE TABLE attempts(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, number INTEGER NOT NULL,
     at INTEGER NOT NULL, duration_ms INTEGER NOT NULL, status INTEGER, error TEXT, excerpt TEXT,
     PRIMARY KEY (event_seq, target_id, n, number)) WITHOUT ROWID`,
  // What is sent in place of the event's body.
  `CREATE TABLE edited_bodies(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, body BLOB NOT NULL,
     PRIMARY KEY (event_seq, target_id, n)) WITHOUT ROWID`,
  // The number of dead letters of each target that no later delivery has replaced.
  `CREATE TABLE dead_letters(target INTEGER PRIMARY KEY, standing INTEGER NOT NULL)`,

  `CREATE TABLE delivery_jobs(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, act TEXT NOT NULL, selection TEXT NOT NULL,
     reason TEXT, state TEXT NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL,
     position TEXT, until_seq INTEGER NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER)`,
  `CREATE TABLE replays(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
     filter TEXT NOT NULL, event_seq INTEGER, target_ids TEXT, rate TEXT NOT NULL,
     until_seq INTEGER NOT NULL, position INTEGER NOT NULL,
     tracks TEXT,                       -- JSON: the positions of targets that lag behind the others
     total INTEGER NOT NULL, estimated INTEGER NOT NULL DEFAULT 0, newest_at INTEGER,
     events INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0,
     gone INTEGER NOT NULL DEFAULT 0,   -- events that retention removed before they were replayed
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
  `CREATE TABLE consents(
     state_hash TEXT PRIMARY KEY, redirect_uri TEXT NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER,
     exchanging_since INTEGER           -- still set at a start: the exchange of the code was interrupted
   ) WITHOUT ROWID`,
  `CREATE TABLE subscriptions(
     id INTEGER PRIMARY KEY AUTOINCREMENT, secrets TEXT NOT NULL, base_url TEXT NOT NULL, public_url TEXT NOT NULL,
     events TEXT NOT NULL, state TEXT NOT NULL, problem TEXT, remedy TEXT,
     webhook_id TEXT,
     id_confirmed INTEGER NOT NULL DEFAULT 1,  -- whether Co-Pilot's API named the webhook, or only a notification did
     signature_header TEXT, signature_header_before TEXT,
     paused INTEGER NOT NULL DEFAULT 0,
     held_active INTEGER,               -- the "active" that Co-Pilot last reported
     address_seen INTEGER NOT NULL DEFAULT 0, delete_first INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL, registered_at INTEGER, checked_at INTEGER, closed_at INTEGER)`,
  `CREATE TABLE subscription_drift(
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, field TEXT NOT NULL,
     "before" TEXT NOT NULL, "after" TEXT NOT NULL, outcome TEXT NOT NULL)`,
];

const OPERATIONS = [
  `CREATE TABLE clock(
     id INTEGER PRIMARY KEY CHECK (id = 1), wall_at INTEGER NOT NULL, latest_at INTEGER NOT NULL, doubts TEXT NOT NULL)`,
  `CREATE TABLE heartbeat(id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, expecting INTEGER NOT NULL)`,
  // Notifications by the quarter of an hour.
  `CREATE TABLE rhythm(quarter INTEGER PRIMARY KEY, notifications INTEGER NOT NULL)`,
  `CREATE TABLE outages(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, began_at INTEGER NOT NULL,
     ended_at INTEGER, usual_seconds INTEGER, told TEXT, dismissed_at INTEGER)`,
  // The state that was last published for connection and subscription.
  `CREATE TABLE told_states(topic TEXT PRIMARY KEY, state TEXT NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID`,
  // told counts the system events about an alert; told_at, told_count and told_state are what the last one said.
  `CREATE TABLE alerts(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, subject TEXT NOT NULL,
     severity TEXT NOT NULL, sentence TEXT NOT NULL, remedy TEXT NOT NULL, data TEXT NOT NULL, quiet_after_ms INTEGER,
     count INTEGER NOT NULL, since INTEGER NOT NULL, last_at INTEGER NOT NULL, resolved_at INTEGER, resolution TEXT,
     told INTEGER NOT NULL, told_at INTEGER NOT NULL, told_count INTEGER NOT NULL, told_state TEXT)`,

  // Keyed by time first, so that what is counted now lies on one page. Minutes become hours after a day. The row of target 0
  // counts everything, and shows that the daemon was running. A success writes nothing to the errors.
  ...['minute', 'hour'].flatMap((unit) => [
    `CREATE TABLE traffic_${unit}s(
       ${unit} INTEGER NOT NULL, target INTEGER NOT NULL, events INTEGER NOT NULL,
       delivered INTEGER NOT NULL, failed INTEGER NOT NULL, died INTEGER NOT NULL, PRIMARY KEY (${unit}, target)) WITHOUT ROWID`,
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
