import type { Outage, OutageKind } from '@contract/outage';
import { formatTwoUnits } from '../../format/duration';
import { formatClock, formatDay } from '../../format/exact';

/** What an outage means, as its label on the chart. */
export const outageLabel = ({ kind }: Outage): string => LABELS[kind];

const LABELS: Record<OutageKind, string> = {
  downtime: 'events may have been missed',
  silence: 'no notifications received',
  restore: 'events missing since a backup',
  failover: 'events lost in a failover',
  unregistered: 'webhook missing or inactive',
  not_stored: 'notifications refused',
};

/** The lengths of `09:12` and `09:12:05`. */
const MINUTES = 5;
const SECONDS = 8;

/** An outage in one line: `09:12–09:20 (8 min): events may have been missed`, with seconds if it is within a minute. */
export function describeOutage(outage: Outage, now: number): string {
  const { began_at: from, ended_at: to, seconds } = outage;
  const today = formatDay(new Date(now).toISOString());
  const format = (at: string, length: number) =>
    `${formatDay(at) === today ? '' : `${formatDay(at).slice(5)} `}${formatClock(at).slice(0, length)}`;
  const isWithinMinute = to !== null && format(from, MINUTES) === format(to, MINUTES);
  const clock = (at: string) => format(at, isWithinMinute ? SECONDS : MINUTES);
  return `${clock(from)}–${to === null ? 'now' : clock(to)} (${formatTwoUnits(seconds)}): ${outageLabel(outage)}`;
}
