import type { AlertSummary } from '../../../contract/alert';
import { SYSTEM_EVENT_PREFIX, UNPRINTABLE } from '../../../contract/constants';
import { parseBody } from '../../ground/parse-body';
import { conditionOf, dataOf } from '../../targets/system-event-data';

/** What a message says, whatever its format. */
export interface MessageContent {
  state: 'raised' | 'repeated' | 'resolved';
  severity: AlertSummary['severity'];
  /** Severity, or that it is over, and the event type in words. */
  title: string;
  /** What happened and why. */
  sentence: string;
  /** What to do; null if nothing. */
  remedy: string | null;
  /** The event type. */
  type: string;
  /** The same in all messages about one alert or outage. */
  alertId: string;
  /** Of the event that it reports. */
  eventId: string;
  /** How often the alert was raised. */
  count: number;
  /** When it was first raised, ISO 8601. */
  since: string;
  /** The host of PUBLIC_URL, and the dashboard. */
  hub: { name: string; url: string };
}

interface ReportedEvent {
  id: string;
  type: string;
  /** Ms since 1970. */
  receivedAt: number;
  body: Uint8Array;
}

/**
 * Reads an alert or an outage from its system event. Only an operator can send another event to a target that
 * receives messages; that one is reported by its type.
 * @param hubUrl PUBLIC_URL
 */
export function readContent(
  { id, receivedAt, body, ...event }: ReportedEvent,
  hubUrl: string,
): MessageContent {
  const type = inOneLine(event.type);
  const data = dataOf(parsed(body));
  const text = (name: string) => (typeof data[name] === 'string' ? inOneLine(data[name]) : null);
  const state = STATES[text('state') ?? ''] ?? 'raised';
  const severity = SEVERITIES[text('severity') ?? ''] ?? 'warning';
  const label = state === 'resolved' ? 'Resolved' : LABELS[severity];
  return {
    state,
    severity,
    title: `${label}: ${nameOf(type)}`,
    sentence: text('sentence') ?? `Event ${id} of type ${type}.`,
    remedy: text('remedy'),
    type,
    alertId: conditionOf(data) ?? id,
    eventId: id,
    count: typeof data['count'] === 'number' ? data['count'] : 1,
    since: text('since') ?? text('began_at') ?? new Date(receivedAt).toISOString(),
    hub: { name: new URL(hubUrl).host, url: hubUrl },
  };
}

/** Otherwise a name could contain what looks like the rest of the message, or reverse the order of its characters. */
const inOneLine = (text: string) => text.replace(/\s+/g, ' ').replaceAll(UNPRINTABLES, '\ufffd');
const UNPRINTABLES = new RegExp(UNPRINTABLE, 'gu');

/** The states of alerts and outages. */
const STATES: Partial<Record<string, MessageContent['state']>> = {
  repeated: 'repeated',
  resolved: 'resolved',
  ended: 'resolved',
};

/** The others are warnings. */
const SEVERITIES: Partial<Record<string, MessageContent['severity']>> = {
  critical: 'critical',
  info: 'info',
};

const LABELS = { critical: 'Critical', warning: 'Warning', info: 'Info' };

/** `relay.disk.low` becomes `disk low`. */
const nameOf = (type: string) =>
  (type.startsWith(SYSTEM_EVENT_PREFIX) ? type.slice(SYSTEM_EVENT_PREFIX.length) : type).replace(
    /[._]/g,
    ' ',
  );

/** Null if the body is not JSON. */
function parsed(body: Uint8Array): unknown {
  try {
    return parseBody(body);
  } catch {
    return null;
  }
}
