// Writes many events directly into the database of a stopped daemon, because sending them would take long.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** SQL for a name that makes an event as long as typical ones. */
const FILLING = 'hex(zeroblob(150))';

/**
 * Stores events without deliveries; `data.id` counts from 1, again and again if there are fewer deals than events.
 * @param name SQL for an event's name; `i` counts from 1
 */
export function storeEvents(dataDir, count, name = FILLING, deals = count) {
  const connection = new Sqlite(join(dataDir, 'switchboard.db'));
  connection.pragma('journal_mode = WAL');
  insertEvents(connection, count, name, 'NULL', deals);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
}

/**
 * Stores events with one delivery each.
 * @param delivery SQL for its state, priority class, attempts, due time and lane; `i` counts from 1
 */
export function storeDeliveries(dataDir, targetNumber, count, { state, ofClass, attempts, dueAt, lane }) {
  const connection = new Sqlite(join(dataDir, 'switchboard.db'));
  connection.pragma('journal_mode = WAL');
  const { first, now } = insertEvents(connection, count, FILLING, 1);
  connection.exec(`
    INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", attempts, created_at, due_at, class, lane)
    SELECT ${first} + i, ${targetNumber}, 0, ${state}, 'live', ${attempts}, ${now}, ${dueAt}, ${ofClass}, ${lane}
    FROM numbers ORDER BY i;
    INSERT INTO delivery_targets(target_id, event_seq) SELECT ${targetNumber}, ${first} + i FROM numbers ORDER BY i;
  `);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
}

function insertEvents(connection, count, name, planned, deals = count) {
  const now = Date.now();
  const deal = `(1 + (i - 1) % ${deals})`;
  const { first } = connection.prepare('SELECT coalesce(max(seq), 0) AS first FROM events').get();
  connection.exec(`
    BEGIN;
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT i FROM n;
    INSERT INTO events(seq, received_at, occurred_at, type, entity, name, webhook_id, content_type, headers, signature_header,
      signature_value, planned, body)
    SELECT ${first} + i, ${now}, ${now}, 'deal.updated', 'deal:' || ${deal}, 'Deal ' || i, 'wh_1', 'application/json', '[]', 'x-signature', '00', ${planned},
      CAST(json_object('event', 'deal.updated', 'data', json_object('id', ${deal}, 'nonce', 'stored ' || i, 'name', ${name},
        'updated_at', strftime('%Y-%m-%dT%H:%M:%SZ', i, 'unixepoch'))) AS BLOB)
    FROM numbers;
    INSERT OR IGNORE INTO event_types(type, seq)
      SELECT type, seq FROM events WHERE seq > ${first} ORDER BY type, seq;
    INSERT OR IGNORE INTO event_entities(entity, seq, version)
      SELECT entity, seq, (seq - ${first}) * 1000 FROM events WHERE seq > ${first} ORDER BY entity, seq;
    UPDATE instance SET indexed_through = ${first} + ${count};
    COMMIT;
  `);
  return { first, now };
}

/** Lets the text index begin behind what is stored, because indexing a million events takes minutes. */
export function skipTextIndex(dataDir) {
  const index = new Sqlite(join(dataDir, 'switchboard-search.db'));
  index.prepare('ATTACH ? AS stored').run(join(dataDir, 'switchboard.db'));
  index.exec('UPDATE state SET through = (SELECT max(seq) FROM stored.events)');
  index.close();
}
