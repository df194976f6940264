import { CHANNEL } from './notices';
import { NOW_MS, SYSTEM_IDENTIFIER, TIMELINE } from './generation-sql';

/** Migrations of PostgreSQL alone, applied after those of both engines. */
export const SERVER_MIGRATIONS: readonly { name: string; statements: readonly string[] }[] = [
  {
    name: 'Daemons0000000001001',
    statements: [
      `CREATE TABLE daemons(
         id TEXT COLLATE "C" PRIMARY KEY, address TEXT, version TEXT NOT NULL, started_at TIMESTAMPTZ NOT NULL,
         alive_until TIMESTAMPTZ NOT NULL)`,
      // The leader's lease is that of its daemon. Whoever writes as the leader locks this row, so that its epoch is
      // still the present one when it commits.
      `CREATE TABLE leader(id BIGINT PRIMARY KEY CHECK (id = 1), epoch BIGINT NOT NULL, daemon TEXT COLLATE "C")`,
      `INSERT INTO leader(id, epoch) VALUES (1, 0)`,
      // Which targets an event was planned for. In the row that every append locks, so that no target changes between
      // the plan and the commit of an event.
      `ALTER TABLE last_event ADD COLUMN targets_version BIGINT NOT NULL DEFAULT 0`,
      `CREATE FUNCTION count_target_change() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         UPDATE last_event SET targets_version = targets_version + 1;
         RETURN NULL;
       END $$`,
      // At the commit: a lock that is held for longer would delay every append, or meet one that waits for a lane. The
      // circuit breaker is no part of the plan.
      `CREATE CONSTRAINT TRIGGER count_target_change AFTER INSERT OR DELETE OR UPDATE OF
         name, url, format, events, filter, policy, headers, secret_headers, tls, secret, enabled, disabled_at, paused_at, deleted_at
       ON targets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_target_change()`,
      `CREATE FUNCTION notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         PERFORM pg_notify(${CHANNEL}, json_build_object('kind', 'changed', 'table', TG_TABLE_NAME)::text);
         RETURN NULL;
       END $$`,
      ...['targets', 'subscriptions'].map(
        (table) => `CREATE TRIGGER notify_change AFTER INSERT OR DELETE OR UPDATE ON ${table}
         FOR EACH STATEMENT EXECUTE FUNCTION notify_change()`,
      ),
    ],
  },
  {
    name: 'TargetOwners0000000001002',
    statements: [
      // Whether it delivers to targets; null: an earlier version, which does so only as the leader, to all.
      `ALTER TABLE daemons ADD COLUMN delivers BOOLEAN`,
      // The lease of an owner is that of its daemon. Whoever stores a result locks the row of the target, so that its
      // epoch is still the present one at the commit.
      `CREATE TABLE target_owners(target BIGINT PRIMARY KEY, daemon TEXT COLLATE "C", epoch BIGINT NOT NULL)`,
      // What each daemon has committed apart from events, in the order of its commits, for the others.
      `CREATE TABLE commits(
         writer TEXT COLLATE "C", n BIGINT, at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(), concerns_owners BOOLEAN NOT NULL,
         content TEXT NOT NULL, PRIMARY KEY (writer, n))`,
      `CREATE INDEX commits_at ON commits(at)`,
    ],
  },
  {
    name: 'Generations0000000001003',
    statements: [
      // How many transactions each writer has committed. Each transaction counts itself, which shows whether it was
      // committed. The name starts with the id of the daemon.
      `CREATE TABLE writers(name TEXT COLLATE "C" PRIMARY KEY, n BIGINT NOT NULL) WITH (fillfactor = 50)`,
      // The newest row is that of the present server. `reports`: how many daemons have recorded what they knew.
      // `is_told`: whether the operator was alerted to what was lost.
      // `kept_seq`: the newest event when it began; `seen_seq`: the newest one that a daemon knew to be committed
      // before; `lost_commits`: what the daemons had committed beyond what was kept.
      `CREATE TABLE generations(
         generation BIGINT PRIMARY KEY, system_identifier TEXT NOT NULL, timeline TEXT NOT NULL, began_at BIGINT NOT NULL,
         kept_seq BIGINT NOT NULL, seen_seq BIGINT NOT NULL DEFAULT 0, lost_commits BIGINT NOT NULL DEFAULT 0,
         reports BIGINT NOT NULL DEFAULT 0, is_told BOOLEAN NOT NULL DEFAULT FALSE)`,
      `INSERT INTO generations(generation, system_identifier, timeline, began_at, kept_seq, is_told)
       VALUES (0, ${SYSTEM_IDENTIFIER}, ${TIMELINE}, ${NOW_MS}, 0, TRUE)`,
      // Messages to the leader, also while no daemon leads.
      `CREATE TABLE told(id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, message TEXT NOT NULL)`,
    ],
  },
  {
    name: 'EventBytes0000000001007',
    statements: [
      // How many bytes the events up to a `seq` take. The size of the tables also counts the space of removed rows.
      `CREATE TABLE event_bytes(id BIGINT PRIMARY KEY CHECK (id = 1), counted_through BIGINT NOT NULL, bytes BIGINT NOT NULL)`,
      `INSERT INTO event_bytes(id, counted_through, bytes) VALUES (1, 0, 0)`,
    ],
  },
  {
    name: 'RecordVersions0000000001008',
    statements: [
      // Any daemon may index an event. Versions are read by an index-only scan.
      `ALTER TABLE events ADD COLUMN version BIGINT`,
      `ALTER TABLE event_entities DROP CONSTRAINT event_entities_pkey, ADD PRIMARY KEY (entity, seq) INCLUDE (version)`,
    ],
  },
];
