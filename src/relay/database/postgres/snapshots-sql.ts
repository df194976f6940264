/** What keeps the server from removing old versions of rows. */
export interface SnapshotHolder {
  kind: 'session' | 'prepared transaction' | 'replication slot';
  /** The process id of a session, otherwise a name. */
  name: string;
  /** What a session calls itself, and its user; null for others. */
  application: string | null;
  /** The oldest transaction whose effects it does not see; it stays the same for as long as the snapshot is held. */
  horizon: string;
  /** Since when, in ms since 1970; null if that is unknown. */
  since: number | null;
}

const msOf = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The oldest first, without statements, which may contain secrets. Without `pg_read_all_stats`, only own sessions. */
export const SNAPSHOT_HOLDERS = `SELECT kind, name, application, horizon::text AS horizon, since FROM (
    SELECT 'session' AS kind, pid::text AS name, format('"%s" (user %s)', application_name, usename) AS application,
      CASE WHEN age(backend_xid) > age(backend_xmin) OR backend_xmin IS NULL THEN backend_xid ELSE backend_xmin END AS horizon,
      ${msOf('xact_start')} AS since
    FROM pg_stat_activity WHERE backend_type IN ('client backend', 'walsender') AND pid <> pg_backend_pid()
      AND coalesce(datname, current_database()) = current_database()
    UNION ALL SELECT 'prepared transaction', gid, NULL, transaction, ${msOf('prepared')}
    FROM pg_prepared_xacts WHERE database = current_database()
    UNION ALL SELECT 'replication slot', slot_name, NULL, xmin, NULL FROM pg_replication_slots) holders
  WHERE horizon IS NOT NULL ORDER BY age(horizon) DESC`;
