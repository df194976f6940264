import type { AlertSummary } from '../../contract/alert';
import { upsert, type Statement } from '../database/journal/statements';
import type { AlertType } from './alert';
import type { SystemEvent } from './system-events.service';
import { formatCount } from '../ground/format-count';
import { isoOrNull, toIso } from '../ground/iso-time';

/** An alert as stored. Times are ms since 1970. */
export interface AlertRecord {
  id: string;
  type: AlertType;
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
  /** The number of system events about it. */
  events_published: number;
  /** When the last one was published, on the scale of `TimeBounds.latest`; at first, when the alert was raised. */
  published_at: number;
  /** The count and the state in the last one; null before the first. */
  published_count: number;
  published_state: 'active' | 'resolved' | null;
}

export type AlertRow = Omit<AlertRecord, 'data'> & { data: string };

/** The least time between system events about one alert: before the first repetition, and before later ones. */
const FIRST_REPEAT_MS = 5 * 60_000;
const REPEAT_MS = 60 * 60_000;

/** An alert raised again within this time is reopened, so that a flapping condition publishes two events at most. */
export const REOPENS_WITHIN_MS = FIRST_REPEAT_MS;

/**
 * The kind of system event to publish about an alert now, if any.
 * @param isEscalated whether it is critical, and the last event said that it was not
 */
export function dueEvent(
  alert: AlertRecord,
  now: number,
  isEscalated: boolean,
): 'raised' | 'repeated' | 'resolved' | null {
  const { published_state: publishedState, published_at: publishedAt } = alert;
  if (publishedState === null) return 'raised';
  if (alert.resolved_at !== null) return publishedState === 'active' ? 'resolved' : null;
  if (publishedState === 'active' && alert.count <= alert.published_count) return null;
  const pauseMs = publishedState === 'resolved' || alert.events_published === 1 ? FIRST_REPEAT_MS : REPEAT_MS;
  if (now - publishedAt < pauseMs && !isEscalated) return null;
  return publishedState === 'resolved' ? 'raised' : 'repeated';
}

/** The occurrence is unique for alert, event number and kind, so that each event is stored once. */
export function toSystemEvent(alert: AlertRecord, kind: 'raised' | 'repeated' | 'resolved'): SystemEvent {
  const { id, type, subject, severity, remedy, data, count, since, last_at: lastAt } = alert;
  const isRaisedSincePublished = count > alert.published_count;
  return {
    type,
    at: kind === 'resolved' ? (alert.resolved_at ?? lastAt) : alert.events_published === 0 ? since : lastAt,
    data: {
      ...(isRaisedSincePublished ? data : withoutDeliveries(data)),
      state: kind,
      alert_id: id,
      subject,
      severity,
      sentence: sentenceOf(alert, kind),
      remedy: kind === 'resolved' ? null : remedy,
      count,
      since: toIso(since),
      last_at: toIso(lastAt),
    },
    occurrence: `${id} ${alert.events_published + 1} ${kind}`,
  };
}

function sentenceOf(
  { sentence, resolution, count, since }: AlertRecord,
  kind: 'raised' | 'repeated' | 'resolved',
): string {
  if (kind === 'resolved') return resolution ?? '';
  return kind === 'raised' ? sentence : `${sentence} ${formatCount(count)} times since ${toIso(since)}.`;
}

export function presentAlert(alert: Omit<AlertRecord, 'data'>, data: Record<string, unknown>): AlertSummary {
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
    since: toIso(since),
    last_at: toIso(alert.last_at),
    resolved_at: isoOrNull(alert.resolved_at),
    resolution,
  };
}

export const upsertStatement = ({ data, ...alert }: AlertRecord): Statement =>
  upsert('alerts', 'id', { ...alert, data: JSON.stringify(data) });

type AlertData = Record<string, unknown>;

/** How many deliveries are listed by id; further ones are only counted. */
const MAX_LISTED = 100;

/** @param ids of the deliveries that the alert is about; undefined if it is about none */
export const withDeliveries = (data: AlertData, ids: readonly string[] | undefined): AlertData =>
  ids === undefined ? data : { ...data, deliveries: ids.slice(0, MAX_LISTED), deliveries_total: ids.length };

/** @returns `later` with the deliveries of both */
export function mergeDeliveries(earlier: AlertData, later: AlertData): AlertData {
  const [first, second] = [deliveriesOf(earlier), deliveriesOf(later)];
  if (first === null || second === null) return later;
  return {
    ...later,
    deliveries: [...first.ids, ...second.ids].slice(0, MAX_LISTED),
    deliveries_total: first.total + second.total,
  };
}

const withoutDeliveries = (data: AlertData): AlertData =>
  deliveriesOf(data) === null ? data : withDeliveries(data, []);

function deliveriesOf({
  deliveries,
  deliveries_total: total,
}: AlertData): { ids: unknown[]; total: number } | null {
  return Array.isArray(deliveries) && typeof total === 'number' ? { ids: deliveries, total } : null;
}
