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

/** An outage in one line: `09:12–09:20 (8 min): events may have been missed`. */
export function describeOutage(outage: Outage, now: number): string {
  const { began_at: from, ended_at: to, seconds } = outage;
  const today = formatDay(new Date(now).toISOString());
  const clock = (at: string) =>
    formatDay(at) === today
      ? formatClock(at).slice(0, 5)
      : `${formatDay(at).slice(5)} ${formatClock(at).slice(0, 5)}`;
  return `${clock(from)}–${to === null ? 'now' : clock(to)} (${formatTwoUnits(seconds)}): ${outageLabel(outage)}`;
}
