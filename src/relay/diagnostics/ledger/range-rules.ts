import type { LedgerRule } from '../../../contract/ledger';
import type { DeliveryKey } from '../../ground/ids';
import type { Names } from './findings';

/**
 * Invariants of events and all that belongs to them, as SQL that finds violations. Each statement checks one range of
 * `seq`, `@from` to `@to`, and is correct under concurrent writes, since related rows are written in one transaction.
 */
export interface RangeRule {
  rule: LedgerRule;
  sql: string;
  sentence: (row: Row, names: Names) => string;
}

/** The key of a finding and its other columns; `received` is ms since 1970. */
type Row = DeliveryKey & { received: number } & Record<string, string | number | null>;

export const RANGE_RULES: readonly RangeRule[] = [
  {
    rule: 'event_missing',
    sql: `SELECT before + 1 AS first, seq - 1 AS last, since, until FROM (
        SELECT seq, coalesce(lag(seq) OVER (ORDER BY seq), 0) AS before, received_at AS until,
          lag(received_at) OVER (ORDER BY seq) AS since FROM events
        WHERE seq BETWEEN (SELECT coalesce(max(seq), @from) FROM events WHERE seq < @from) AND @to) pairs
      WHERE seq >= @from AND seq - before > 1 AND seq - 1 > (SELECT pruned_through FROM instance)`,
    sentence: ({ first, last, since, until }) =>
      (first === last
        ? `Event ${first} is missing although retention did not remove it`
        : `Some events between ${first} and ${last} are missing although retention did not remove them`) +
      `: received ${since === null ? 'before' : `between ${time(since)} and`} ${time(until)}.`,
  },
  {
    rule: 'event_unplanned',
    sql: `SELECT seq, received, planned, live FROM (
        SELECT e.seq, e.received_at AS received,
          e.planned + coalesce((SELECT r.count FROM routed r WHERE r.event_seq = e.seq), 0) AS planned, (SELECT count(*) FROM deliveries d WHERE d.event_seq = e.seq AND d.n = 0) AS live
        FROM events e WHERE e.seq BETWEEN @from AND @to AND e.planned IS NOT NULL) counts
      WHERE live <> planned`,
    sentence: ({ seq, received, planned, live }, names) =>
      `${names.event(seq, received)}: accepted by ${plural(planned, 'target')}, ${plural(live, 'live delivery')} there.`,
  },
  {
    rule: 'delivery_state',
    sql: `SELECT event_seq AS seq, target_id AS target, n, state, due_at AS due, finished_at AS finished, lane, attempts, class
      FROM deliveries WHERE event_seq BETWEEN @from AND @to AND NOT (class IN (0, 1, 2) AND coalesce(CASE state
        WHEN 'pending' THEN due_at IS NOT NULL AND finished_at IS NULL
        WHEN 'retrying' THEN due_at IS NOT NULL AND finished_at IS NULL AND attempts > 0
        WHEN 'waiting' THEN due_at IS NULL AND finished_at IS NULL AND lane IS NOT NULL
        WHEN 'succeeded' THEN due_at IS NULL AND finished_at IS NOT NULL AND attempts > 0
        WHEN 'dead' THEN due_at IS NULL AND (finished_at IS NOT NULL OR lane IS NOT NULL)
        WHEN 'cancelled' THEN due_at IS NULL AND finished_at IS NOT NULL END, FALSE))`,
    sentence: (row, names) => `${names.delivery(row)} is inconsistent: ${describeState(row)}.`,
  },
  {
    rule: 'delivery_attempts',
    sql: `SELECT seq, target, n, counted, made, last FROM (
        SELECT d.event_seq AS seq, d.target_id AS target, d.n AS n, d.attempts AS counted, count(a.number) AS made,
          coalesce(max(a.number), 0) AS last
        FROM deliveries d LEFT JOIN attempts a
          ON a.event_seq = d.event_seq AND a.target_id = d.target_id AND a.n = d.n
        WHERE d.event_seq BETWEEN @from AND @to GROUP BY d.event_seq, d.target_id, d.n) counts
      WHERE counted <> made OR made <> last`,
    sentence: (row, names) =>
      `${names.delivery(row)} counts ${plural(row['counted'], 'attempt')}, but ${row['made']} are stored, the last with number ${row['last']}.`,
  },
  {
    rule: 'delivery_orphan',
    sql: `SELECT d.event_seq AS seq, d.target_id AS target, d.n AS n, e.seq IS NULL AS eventless
      FROM deliveries d LEFT JOIN events e ON e.seq = d.event_seq LEFT JOIN targets t ON t.number = d.target_id
      WHERE d.event_seq BETWEEN @from AND @to AND (e.seq IS NULL OR t.number IS NULL)`,
    sentence: (row, names) =>
      `${names.delivery(row)} has no ${row['eventless'] ? 'event' : 'target'} any more.`,
  },
  {
    rule: 'attempt_orphan',
    sql: `SELECT a.event_seq AS seq, a.target_id AS target, a.n AS n, a.number AS number FROM attempts a
      WHERE a.event_seq BETWEEN @from AND @to AND NOT EXISTS (SELECT 1 FROM deliveries d
        WHERE d.event_seq = a.event_seq AND d.target_id = a.target_id AND d.n = a.n)`,
    sentence: ({ seq, target, n, number }, names) =>
      `Attempt ${number} of delivery ${n} of event ${seq} to ${names.target(target)} has no delivery.`,
  },
  {
    rule: 'duplicate_orphan',
    sql: `SELECT event_seq AS seq, n FROM duplicates u WHERE event_seq BETWEEN @from AND @to
      AND NOT EXISTS (SELECT 1 FROM events e WHERE e.seq = u.event_seq)`,
    sentence: ({ seq, n }) => `Duplicate ${n} of event ${seq} has no event.`,
  },
];

const time = (at: string | number | null | undefined) => new Date(Number(at)).toISOString();

const plural = (count: string | number | null | undefined, what: string) =>
  count === 1 ? `1 ${what}` : `${count} ${what.replace(/y$/, 'ie')}s`;

function describeState({ state, due, finished, lane, attempts, class: ofClass }: Row): string {
  const parts = [
    due === null ? 'without a due time' : 'with a due time',
    finished === null ? 'not finished' : 'finished',
    lane === null ? 'without a lane' : 'in a lane',
    `with ${plural(attempts, 'attempt')}`,
    ...([0, 1, 2].includes(Number(ofClass)) ? [] : [`of the unknown class ${ofClass}`]),
  ];
  return `it is ${state}, ${parts.join(', ')}`;
}
