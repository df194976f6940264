import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first tables. What the way of one event touches is laid out for few dirty pages (a page of the log per event and
 * index is the cost of a scattered key):
 * - events: keyed by `seq`, the order of commit; no index beside it. `event_types` and `event_entities` are filled in
 *   sorted passes, some hundred events behind; readers scan the tail that is not indexed yet.
 * - identities: keyed by minute, then hash, so that its index grows at its end.
 * - deliveries: clustered on (event, target, n); `due_at` is set exactly while an attempt is still to be made, so one
 *   partial index serves the queue.
 */
export class FirstTables1763600000000 implements MigrationInterface {
  name = 'FirstTables1763600000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE ${table}`);
  }
}

const UP = [
  `CREATE TABLE hub(
    id INTEGER PRIMARY KEY CHECK (id = 1), tag INTEGER NOT NULL, indexed_through INTEGER NOT NULL, key_check TEXT)`,
  `INSERT INTO hub(id, tag, indexed_through) VALUES (1, abs(random() % 1099511627776), 0)`,

  `CREATE TABLE events(
    seq INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, occurred_at INTEGER, type TEXT NOT NULL, entity TEXT, name TEXT,
    webhook_id TEXT, unreadable TEXT, content_type TEXT, headers TEXT NOT NULL, signature_header TEXT NOT NULL,
    signature_value TEXT NOT NULL, body BLOB NOT NULL)`,
  `CREATE TABLE event_types(type TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (type, seq)) WITHOUT ROWID`,
  `CREATE TABLE event_entities(entity TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (entity, seq)) WITHOUT ROWID`,
  `CREATE TABLE identities(
    minute INTEGER NOT NULL, hash BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (minute, hash)) WITHOUT ROWID`,
  `CREATE TABLE duplicates(
    event_seq INTEGER NOT NULL, n INTEGER NOT NULL, received_at INTEGER NOT NULL, PRIMARY KEY (event_seq, n)) WITHOUT ROWID`,

  `CREATE TABLE deliveries(
    event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, state TEXT NOT NULL, "trigger" TEXT NOT NULL,
    replay_id TEXT, attempts INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, due_at INTEGER, settled_at INTEGER,
    last_status INTEGER, last_error TEXT, PRIMARY KEY (event_seq, target_id, n)) WITHOUT ROWID`,
  `CREATE INDEX deliveries_due ON deliveries(target_id, due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX deliveries_dead ON deliveries(event_seq) WHERE state = 'dead'`,
  `CREATE TABLE attempts(
    event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL, status INTEGER, error TEXT, excerpt TEXT,
    PRIMARY KEY (event_seq, target_id, n, number)) WITHOUT ROWID`,

  `CREATE TABLE targets(
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, url TEXT NOT NULL,
    events TEXT NOT NULL, enabled INTEGER NOT NULL, secret TEXT NOT NULL, paused_at INTEGER, paused_reason TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER)`,
  `CREATE UNIQUE INDEX targets_name ON targets(name) WHERE deleted_at IS NULL`,
  `CREATE TABLE replays(
    id TEXT PRIMARY KEY, event_seq INTEGER NOT NULL, target_ids TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE rejections(
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, received_at INTEGER NOT NULL, reason TEXT NOT NULL,
    subscription_id INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL)`,

  `CREATE TABLE grants(
    id INTEGER PRIMARY KEY CHECK (id = 1), base_url TEXT NOT NULL, client_id TEXT NOT NULL, scopes TEXT NOT NULL,
    tokens TEXT NOT NULL, state TEXT NOT NULL, problem TEXT, connected_at INTEGER NOT NULL, issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, renewal_started_at INTEGER, failures INTEGER NOT NULL, retry_at INTEGER)`,
  `CREATE TABLE consents(
    state_hash TEXT PRIMARY KEY, redirect_uri TEXT NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER)
    WITHOUT ROWID`,
  `CREATE TABLE subscriptions(
    id INTEGER PRIMARY KEY AUTOINCREMENT, secrets TEXT NOT NULL, base_url TEXT NOT NULL, public_url TEXT NOT NULL,
    events TEXT NOT NULL, state TEXT NOT NULL, problem TEXT, webhook_id TEXT, signature_header TEXT,
    signature_header_before TEXT, created_at INTEGER NOT NULL, registered_at INTEGER, checked_at INTEGER, closed_at INTEGER)`,

  `CREATE TABLE login_links(token_hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE sessions(
    token_hash TEXT PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
];

const TABLES = [
  'sessions',
  'login_links',
  'subscriptions',
  'consents',
  'grants',
  'rejections',
  'replays',
  'targets',
  'attempts',
  'deliveries',
  'duplicates',
  'identities',
  'event_entities',
  'event_types',
  'events',
  'hub',
];
