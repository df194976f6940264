// Writes many events directly into the database of a stopped daemon, because sending them would take long.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** SQL for a name that makes an event as long as typical ones. */
const FILLING = 'hex(zeroblob(150))';

/**
 * Stores events without deliveries; their `data.id` counts from 1.
 * @param row SQL for an event's type, entity and name; `i` counts from 1
 */
export function storeEvents(
  dataDir,
  count,
  { type = `'deal.updated'`, entity = `'deal:' || i`, name = FILLING } = {},
) {
  const connection = new Sqlite(join(dataDir, 'switchboard.db'));
  connection.pragma('journal_mode = WAL');
  insertEvents(connection, count, type, entity, name, 'NULL');
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
}

/** The same in a database in PostgreSQL; its daemon may run. @param postgres see `postgres.mjs` */
export async function storeEventsOnServer(
  postgres,
  count,
  { type = `'deal.updated'`, entity = `'deal:' || i`, name = `repeat('0', 300)` } = {},
) {
  await postgres.sql(`
    INSERT INTO events(seq, received_at, occurred_at, type, entity, name, webhook_id, content_type, headers, signature_header,
      signature_value, body)
    SELECT last.seq + i, now.at, now.at, ${type}, ${entity}, 'Deal ' || i, 'wh_1', 'application/json', '[]', 'x-signature', '00',
      convert_to(json_build_object('event', ${type}, 'data', json_build_object('id', i, 'nonce', 'stored ' || i, 'name', ${name}))::text, 'UTF8')
    FROM generate_series(1, ${count}) i, last_event last, (SELECT ${Date.now()}::bigint AS at) now;
    INSERT INTO event_types(type, seq) SELECT type, seq FROM events ORDER BY type, seq ON CONFLICT DO NOTHING;
    INSERT INTO event_entities(entity, seq)
      SELECT entity, seq FROM events WHERE entity IS NOT NULL ORDER BY entity, seq ON CONFLICT DO NOTHING;
    UPDATE last_event SET seq = seq + ${count};
    UPDATE instance SET indexed_through = (SELECT seq FROM last_event)`);
  await postgres.sql('VACUUM ANALYZE');
}

/**
 * Stores events with one delivery each.
 * @param delivery SQL for its state, priority class, attempts, due time and lane; `i` counts from 1
 */
export function storeDeliveries(dataDir, targetNumber, count, { state, ofClass, attempts, dueAt, lane }) {
  const connection = new Sqlite(join(dataDir, 'switchboard.db'));
  connection.pragma('journal_mode = WAL');
  const { first, now } = insertEvents(connection, count, `'deal.updated'`, `'deal:' || i`, FILLING, 1);
  connection.exec(`
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, due_at, class, lane)
    SELECT ${first} + i, ${targetNumber}, 0, ${state}, 'live', ${attempts}, ${now}, ${dueAt}, ${ofClass}, ${lane}
    FROM numbers ORDER BY i;
    INSERT INTO delivery_targets(target_id, event_seq) SELECT ${targetNumber}, ${first} + i FROM numbers ORDER BY i;
  `);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
}

function insertEvents(connection, count, type, entity, name, planned) {
  const now = Date.now();
  const { first } = connection.prepare('SELECT coalesce(max(seq), 0) AS first FROM events').get();
  connection.exec(`
    BEGIN;
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT i FROM n;
    INSERT INTO events(seq, received_at, occurred_at, type, entity, name, webhook_id, content_type, headers, signature_header,
      signature_value, planned, body)
    SELECT ${first} + i, ${now}, ${now}, ${type}, ${entity}, 'Deal ' || i, 'wh_1', 'application/json', '[]', 'x-signature', '00', ${planned},
      CAST(json_object('event', ${type}, 'data', json_object('id', i, 'nonce', 'stored ' || i, 'name', ${name}))
        AS BLOB)
    FROM numbers;
    INSERT OR IGNORE INTO event_types(type, seq)
      SELECT type, seq FROM events WHERE seq > ${first} ORDER BY type, seq;
    INSERT OR IGNORE INTO event_entities(entity, seq)
      SELECT entity, seq FROM events WHERE seq > ${first} ORDER BY entity, seq;
    UPDATE instance SET indexed_through = ${first} + ${count};
    COMMIT;
  `);
  return { first, now };
}

/**
 * Stores events that were delivered at the first attempt, with all their rows. Events stored before become as old,
 * because retention by age stops at the first event that is too young.
 * @returns the bytes that the database uses
 */
export function storeFinished(dataDir, targetNumber, count, receivedAt) {
  const connection = new Sqlite(join(dataDir, 'switchboard.db'));
  connection.pragma('journal_mode = WAL');
  const { first } = connection.prepare('SELECT coalesce(max(seq), 0) AS first FROM events').get();
  connection.exec(`
    BEGIN;
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT i FROM n;
    UPDATE events SET received_at = min(received_at, ${receivedAt});
    INSERT INTO events(seq, received_at, occurred_at, type, entity, name, webhook_id, content_type, headers, signature_header,
      signature_value, body, planned)
    SELECT ${first} + i, ${receivedAt}, ${receivedAt}, 'deal.updated', 'deal:' || i, 'Deal ' || i, 'wh_1', 'application/json', '[]',
      'x-signature', '00', CAST(json_object('event', 'deal.updated', 'data', json_object('id', i, 'name', hex(randomblob(200)))) AS BLOB), 1
    FROM numbers;
    INSERT INTO identities(minute, hash, seq) SELECT ${Math.floor(receivedAt / 60_000)}, randomblob(16), ${first} + i FROM numbers;
    INSERT INTO event_types(type, seq) SELECT 'deal.updated', ${first} + i FROM numbers;
    INSERT INTO event_entities(entity, seq) SELECT 'deal:' || i, ${first} + i FROM numbers ORDER BY 1;
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, finished_at, last_status)
    SELECT ${first} + i, ${targetNumber}, 0, 'succeeded', 'live', 1, ${receivedAt}, ${receivedAt}, 204 FROM numbers ORDER BY i;
    INSERT INTO delivery_targets(target_id, event_seq) SELECT ${targetNumber}, ${first} + i FROM numbers ORDER BY i;
    INSERT INTO attempts(event_seq, target_id, n, number, at, duration_ms, status)
    SELECT ${first} + i, ${targetNumber}, 0, 1, ${receivedAt}, 4, 204 FROM numbers ORDER BY i;
    UPDATE instance SET indexed_through = ${first} + ${count};
    COMMIT;
  `);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  const { used } = connection
    .prepare(
      'SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
    )
    .get();
  connection.close();
  return used;
}

/** Lets the text index begin behind what is stored, because indexing a million events takes minutes. */
export function skipTextIndex(dataDir) {
  const index = new Sqlite(join(dataDir, 'switchboard-search.db'));
  index.prepare('ATTACH ? AS stored').run(join(dataDir, 'switchboard.db'));
  index.exec('UPDATE state SET through = (SELECT max(seq) FROM stored.events)');
  index.close();
}

/** The number of stored attempts of a target. */
export function countAttempts(dataDir, targetNumber) {
  const connection = new Sqlite(join(dataDir, 'switchboard.db'), { readonly: true });
  const { count } = connection
    .prepare('SELECT count(*) AS count FROM attempts WHERE target_id = ?')
    .get(targetNumber);
  connection.close();
  return count;
}
