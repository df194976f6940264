import { join } from 'node:path';
import type { LedgerRule } from '../../../src/contract/ledger';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import type { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import type { WitnessTarget } from '../../support/fakes/witness-target';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';

export const ADD_NEWER = `INSERT INTO migrations(timestamp, name) VALUES (1, 'Tomorrow')`;
export const REMOVE_NEWER = `DELETE FROM migrations WHERE name = 'Tomorrow'`;

/**
 * Inconsistencies in the data of either daemon: how each is created and undone, and how it is reported. `$seq` is
 * a delivered event; there may be system events in between.
 */
export const INCONSISTENCIES: [
  what: string,
  damage: string,
  repair: string,
  rule: LedgerRule,
  sentence: RegExp,
  remedy: RegExp,
][] = [
  [
    'a missing live delivery',
    `CREATE TABLE kept AS SELECT * FROM deliveries WHERE event_seq = $seq; DELETE FROM deliveries WHERE event_seq = $seq;
     CREATE TABLE kept_too AS SELECT * FROM attempts WHERE event_seq = $seq; DELETE FROM attempts WHERE event_seq = $seq`,
    `INSERT INTO deliveries SELECT * FROM kept; INSERT INTO attempts SELECT * FROM kept_too;
     DROP TABLE kept; DROP TABLE kept_too`,
    'event_unplanned',
    /Event \d+ \(evt_\w{26}\): accepted by 1 target, 0 live deliveries there\./,
    /Replay the event/,
  ],
  [
    'an attempt without a delivery',
    `INSERT INTO attempts(event_seq, target_id, n, number, at, duration_ms) VALUES ($seq, 1, 7, 1, 1, 1)`,
    `DELETE FROM attempts WHERE n = 7`,
    'attempt_orphan',
    /Attempt 1 of delivery 7 of event \d+ to "witness" has no delivery\./,
    /nothing is sent or lost/,
  ],
  [
    'a wrong number of attempts',
    `UPDATE deliveries SET attempts = 3 WHERE event_seq = $seq`,
    `UPDATE deliveries SET attempts = 1 WHERE event_seq = $seq`,
    'delivery_attempts',
    /Delivery 0 of event \d+ to "witness" \(dlv_\w{26}\) counts 3 attempts, but 1 are stored, the last with number 1\./,
    /the number of attempts left/,
  ],
  [
    'a delivery that can never be sent',
    `UPDATE deliveries SET state = 'pending', due_at = 1, finished_at = NULL, class = 7 WHERE event_seq = $seq`,
    `UPDATE deliveries SET state = 'succeeded', due_at = NULL, finished_at = 1, class = 0 WHERE event_seq = $seq`,
    'delivery_state',
    /it is pending, with a due time, not finished, without a lane, with 1 attempt, of the unknown class 7\./,
    /Retry it/,
  ],
  [
    'a lane that a dead letter blocks though its event was delivered',
    `UPDATE deliveries SET state = 'dead', lane = 'deal:1', finished_at = NULL WHERE event_seq = $seq;
     INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, finished_at, attempts)
     SELECT event_seq, target_id, 1, 'succeeded', 'manual', 1, 1, 1 FROM deliveries WHERE event_seq = $seq`,
    `DELETE FROM deliveries WHERE event_seq = $seq AND n = 1;
     UPDATE deliveries SET state = 'succeeded', lane = NULL, finished_at = 1 WHERE event_seq = $seq`,
    'lane_heads',
    /Lane deal:1 of "witness" is blocked by a dead letter although its event was delivered/,
    /Retry the first delivery of the lane/,
  ],
  [
    'an event missing between others',
    `CREATE TABLE kept AS SELECT * FROM events WHERE seq = $seq; DELETE FROM events WHERE seq = $seq`,
    `INSERT INTO events SELECT * FROM kept; DROP TABLE kept`,
    'event_missing',
    /Event \d+ is missing although retention did not remove it: received between 20\S+Z and 20\S+Z\./,
    /Check in Co-Pilot what changed in that period/,
  ],
];

export type Damage = (typeof INCONSISTENCIES)[number] extends [string, ...infer Rest] ? Rest : never;

export const LOCAL_CHECKS = ['settings', 'DATA_DIR', 'lock', 'disk', 'database', 'daemon'];
export const DAEMON_CHECKS = [
  'clock',
  'connection',
  'subscription',
  'reachability',
  'notifications',
  'targets',
  'deliveries',
  'backup',
  'alerts',
];

/** Writes to a database, also next to its daemon, as no program should. */
export function alterDatabase(file: string, sql: string): void {
  const connection = new sqliteDriver(file);
  try {
    connection.pragma('busy_timeout = 5000');
    connection.exec(sql);
  } finally {
    connection.close();
  }
}

/** Holds the lock of a daemon's folder as another process would. */
export function holdLock(dataDir: string): () => void {
  const lock = new sqliteDriver(join(dataDir, 'lock'));
  lock.pragma('locking_mode = EXCLUSIVE');
  lock.exec('BEGIN EXCLUSIVE');
  return () => lock.close();
}

/** @returns the `seq` of the third of six delivered events */
export async function deliverSix(daemon: Daemon, target: WitnessTarget): Promise<number> {
  await daemon.addTarget('witness', target.url);
  const client = new WebhookSender(daemon.webhook);
  for (let id = 1; id <= 6; id += 1)
    await client.send(dealNotification({ id, webhookId: daemon.webhook.webhook_id }).body);
  client.close();
  await until('all are delivered', () => target.succeeded.length === 6);
  await until(
    'all are recorded as delivered',
    () => daemon.rows(`SELECT 1 FROM deliveries WHERE state = 'succeeded'`).length === 6,
  );
  const [third] = daemon.rows<{ seq: number }>(
    'SELECT event_seq AS seq FROM deliveries ORDER BY event_seq LIMIT 1 OFFSET 2',
  );
  return third!.seq;
}
