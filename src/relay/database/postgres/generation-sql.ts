/** Of the primary: each promotion of a standby starts another one, and so does recovery to a point in time. */
export const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

/** Of the server's data: another one after an upgrade, or a restore from a dump. */
export const SYSTEM_IDENTIFIER = '(SELECT system_identifier::text FROM pg_control_system())';

export const NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const NEWEST = 'FROM generations ORDER BY generation DESC LIMIT 1';

/** The generation of the server; null while it is not recorded, right after a failover. */
export const GENERATION = `(SELECT CASE timeline WHEN ${TIMELINE} THEN generation END ${NEWEST})`;

/** Within this time, every daemon renews its lease, and reports before that. */
const REPORTED_WITHIN_MS = 10_000;

/** Those of whose losses no alert was raised yet. */
export const UNREPORTED_GENERATIONS = `SELECT generation, began_at, kept_seq, seen_seq, lost_commits,
    (SELECT received_at FROM events WHERE seq <= kept_seq ORDER BY seq DESC LIMIT 1) AS kept_at
  FROM generations WHERE NOT is_told AND (began_at < ${NOW_MS} - ${REPORTED_WITHIN_MS}
    OR reports >= (SELECT count(*) FROM daemons WHERE alive_until > clock_timestamp())) ORDER BY generation`;

/**
 * SQL: a condition that holds in one generation of the server only, for reads whose rows are combined with what is in
 * memory: after a failover, later events may have the `seq` of earlier ones.
 */
export const inGeneration = (generation: number) => `(SELECT generation ${NEWEST}) = ${generation}`;
