import { CHANNEL } from './daemons/notices';

/** Migrations of PostgreSQL alone, applied after those of both engines. */
export const SERVER_MIGRATIONS: readonly { name: string; statements: readonly string[] }[] = [
  {
    name: 'Daemons0000000001001',
    statements: [
      `CREATE TABLE daemons(
         id TEXT COLLATE "C" PRIMARY KEY, address TEXT, version TEXT NOT NULL, started_at TIMESTAMPTZ NOT NULL,
         alive_until TIMESTAMPTZ NOT NULL)`,
      // The leader's lease is that of its daemon. Whoever writes as the leader locks this row, so that its epoch is still the
      // present one when it commits.
      `CREATE TABLE leader(id BIGINT PRIMARY KEY CHECK (id = 1), epoch BIGINT NOT NULL, daemon TEXT COLLATE "C")`,
      `INSERT INTO leader(id, epoch) VALUES (1, 0)`,
      // Which targets an event was planned for. In the row that every append locks, so that no target changes between the
      // plan and the commit of an event.
      `ALTER TABLE last_event ADD COLUMN targets_version BIGINT NOT NULL DEFAULT 0`,
      `CREATE FUNCTION count_target_change() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         UPDATE last_event SET targets_version = targets_version + 1;
         RETURN NULL;
       END $$`,
      // At the commit: a lock that is held for longer would delay every append, or meet one that waits for a lane. The circuit
      // breaker is no part of the plan.
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
      // The lease of an owner is that of its daemon. Whoever stores a result locks the row of the target, so that its epoch is
      // still the present one at the commit.
      `CREATE TABLE target_owners(target BIGINT PRIMARY KEY, daemon TEXT COLLATE "C", epoch BIGINT NOT NULL)`,
      // What each daemon has committed beside events, in the order of its commits, for the others.
      `CREATE TABLE commits(
         writer TEXT COLLATE "C", n BIGINT, at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(), concerns_owners BOOLEAN NOT NULL,
         content TEXT NOT NULL, PRIMARY KEY (writer, n))`,
      `CREATE INDEX commits_at ON commits(at)`,
    ],
  },
  {
    name: 'EventBytes0000000001007',
    statements: [
      // How many bytes the events up to a `seq` take. Rows that were removed leave space in the tables, so these do not tell.
      `CREATE TABLE event_bytes(id BIGINT PRIMARY KEY CHECK (id = 1), counted_through BIGINT NOT NULL, bytes BIGINT NOT NULL)`,
      `INSERT INTO event_bytes(id, counted_through, bytes) VALUES (1, 0, 0)`,
    ],
  },
];
