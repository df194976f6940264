import type { Daemon } from './daemon';
import { emit } from './emit';

/**
 * Writes many events without deliveries directly into the database, since sending them would take long: `Deal 1` about
 * `deal:1` and so on, copies of one received event. Restarts the daemon.
 */
export async function storeEvents(daemon: Daemon, count: number): Promise<void> {
  await emit(daemon, 'deal.updated', { id: 0, name: 'Deal 0' });
  await daemon.stop();
  const copied = `received_at, occurred_at, webhook_id, unreadable, content_type, headers, signature_header,
    signature_value, body, planned`;
  daemon.alterDatabase(`
    CREATE TEMP TABLE numbers AS
      WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < ${count}) SELECT i FROM more;
    CREATE TEMP TABLE newest AS SELECT max(seq) AS seq FROM events;
    INSERT INTO events(seq, type, entity, name, ${copied})
      SELECT newest.seq + i, 'deal.updated', 'deal:' || i, 'Deal ' || i, ${copied}
      FROM events JOIN newest USING (seq), numbers;
    INSERT INTO event_types(type, seq) SELECT type, events.seq FROM events, newest WHERE events.seq > newest.seq;
    INSERT INTO event_entities(entity, seq)
      SELECT entity, events.seq FROM events, newest WHERE events.seq > newest.seq ORDER BY entity;
    INSERT OR IGNORE INTO event_types(type, seq) SELECT type, seq FROM events;
    INSERT OR IGNORE INTO event_entities(entity, seq) SELECT entity, seq FROM events WHERE entity IS NOT NULL;
    UPDATE instance SET indexed_through = (SELECT max(seq) FROM events);`);
  await daemon.restart();
}
