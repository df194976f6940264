import type { AlertSummary } from '../../contract/alert';
import type { Statement } from '../database/journal';
import type { SystemEvent } from './system-events';

/** An alert as it is stored. Times are ms since 1970. */
export interface AlertRecord {
  id: string;
  type: `relay.${string}`;
  subject: string;
  severity: AlertSummary['severity'];
  sentence: string;
  remedy: string;
  data: Record<string, unknown>;
  quiet_after_ms: number | null;
  count: number;
  since: number;
  last_at: number;
  resolved_at: number | null;
  resolution: string | null;
  /** How many events told of it, when the last one did (on the scale of `TimeBounds.latest`), and what that said. */
  told: number;
  told_at: number;
  told_count: number;
  told_state: 'active' | 'resolved' | null;
}

export type StoredAlert = Omit<AlertRecord, 'data'> & { data: string };

/** How long after an event of an alert the next one follows: the first repetition, and each after it. */
const FIRST_REPEAT_MS = 5 * 60_000;
const REPEAT_MS = 60 * 60_000;

/** Raised again so soon after its end, an alert is the same one: what comes and goes makes two events in this time at most. */
export const REOPENS_WITHIN_MS = FIRST_REPEAT_MS;

/** What an event has to tell of it now, if anything. */
export function dueEvent(alert: AlertRecord, now: number): 'raised' | 'repeated' | 'resolved' | null {
  const { told_state: toldState, count, told, told_at: toldAt, told_count: toldCount } = alert;
  if (toldState === null) return 'raised';
  if (alert.resolved_at !== null) return toldState === 'active' ? 'resolved' : null;
  if (toldState === 'active' && count <= toldCount) return null;
  const pauseMs = toldState === 'resolved' || told === 1 ? FIRST_REPEAT_MS : REPEAT_MS;
  if (now - toldAt < pauseMs) return null;
  return toldState === 'resolved' ? 'raised' : 'repeated';
}

/** The same alert, number and kind make the same event, which is stored once. */
export function eventOf(alert: AlertRecord, kind: 'raised' | 'repeated' | 'resolved'): SystemEvent {
  const { id, type, subject, severity, remedy, data, count, since, last_at: lastAt } = alert;
  return {
    type,
    at: kind === 'resolved' ? (alert.resolved_at ?? lastAt) : alert.told === 0 ? since : lastAt,
    data: {
      ...data,
      state: kind,
      alert_id: id,
      subject,
      severity,
      sentence: sentenceOf(alert, kind),
      remedy: kind === 'resolved' ? null : remedy,
      count,
      since: instantOf(since),
      last_at: instantOf(lastAt),
    },
    occurrence: `${id} ${alert.told + 1} ${kind}`,
  };
}

function sentenceOf(
  { sentence, resolution, count, since }: AlertRecord,
  kind: 'raised' | 'repeated' | 'resolved',
): string {
  if (kind === 'resolved') return resolution ?? '';
  return kind === 'raised' ? sentence : `${sentence} ${count} times since ${instantOf(since)}.`;
}

export function summaryOf(alert: Omit<AlertRecord, 'data'>, data: Record<string, unknown>): AlertSummary {
  const { id, type, subject, severity, sentence, remedy, count, since, resolution } = alert;
  return {
    id,
    type,
    subject,
    severity,
    sentence,
    remedy,
    data,
    count,
    since: instantOf(since),
    last_at: instantOf(alert.last_at),
    resolved_at: alert.resolved_at === null ? null : instantOf(alert.resolved_at),
    resolution,
  };
}

/** Stores it, whether or not it was stored before. */
export function storing({ data, ...alert }: AlertRecord): Statement {
  const row = { ...alert, data: JSON.stringify(data) };
  const names = Object.keys(row);
  const updates = names.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`);
  return [
    `INSERT INTO alerts(${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT(id) DO UPDATE SET ${updates.join(', ')}`,
    Object.values(row),
  ];
}

const instantOf = (at: number) => new Date(at).toISOString();
