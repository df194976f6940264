import type { Connection } from '@contract/connection';
import type { Stats, TargetsTraffic } from '@contract/stats';
import type { Target } from '@contract/target';
import { formatCount, formatNoun, formatRate } from '../../format/number';
import { CONNECTION_LABELS } from '../../labels/connection-labels';
import { needsAttention, type Tone } from '../../labels/state-label';
import { causesOf, targetLabels, worstFirst } from '../../labels/target-labels';
import { fromStats } from '../../features/traffic-chart/traffic-view';

/** One side of the hub: Co-Pilot, or a target. */
export interface TopologyNode {
  id: string;
  name: string;
  tone: Tone;
  /** The state, and why it is so. */
  state: string;
  /** The backlog; empty if there is none. */
  queued: string;
  /** Events or attempts per second. */
  rate: number;
}

export const SOURCE_ID = 'co-pilot';

export interface TopologyView {
  source: TopologyNode;
  /** The worst first. */
  targets: TopologyNode[];
  /** How many targets are left out, and their states; empty if there are none. */
  others: string;
}

/** As many as fit into the height of the drawing. */
const MAX_TARGETS = 5;
/** A lower rate would be shown as 0.0. */
const MIN_RATE = 0.05;
/** Right after a start there is no rate yet. */
const MIN_SECONDS = 1;

/** Where events come from and where they go, with their present rates. */
export function topologyView(
  { connection, stats, targets }: { connection: Connection; stats: Stats; targets: readonly Target[] },
  traffic: TargetsTraffic | undefined,
  now: number,
): TopologyView {
  const { tone, label } = CONNECTION_LABELS[connection.state];
  const rates = new Map(targets.map(({ id }) => [id, rateOf(id, stats, traffic, now)]));
  // Then those that receive most, before those that are disabled. Attempts to reach bad ones do not change their order.
  const flowOf = (target: Target) => (needsAttention(targetLabels(target)[0]!) ? 0 : rates.get(target.id)!);
  const sorted = worstFirst(targets.toSorted((one, other) => flowOf(other) - flowOf(one)));
  return {
    source: {
      id: SOURCE_ID,
      name: 'Co-Pilot',
      tone,
      state: label,
      queued: '',
      rate: sourceRate(stats, traffic, now),
    },
    targets: sorted.slice(0, MAX_TARGETS).map((target) => {
      const labels = targetLabels(target);
      const { open, dead } = target.backlog;
      return {
        id: target.id,
        name: target.name,
        tone: labels[0]!.tone,
        state: [
          ...labels.map((one) => one.label),
          ...causesOf(target),
          ...(dead === 0 ? [] : [formatNoun(dead, 'dead letter')]),
        ].join(' · '),
        queued: open === 0 ? '' : `${formatCount(open)} queued`,
        rate: rates.get(target.id)!,
      };
    }),
    others: describeOthers(sorted.slice(MAX_TARGETS)),
  };
}

/** `3 more targets: 2 active, 1 disabled`. */
function describeOthers(targets: readonly Target[]): string {
  const counts = new Map<string, number>();
  for (const target of targets) {
    const { label } = targetLabels(target)[0]!;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const states = [...counts].map(([label, count]) => `${formatCount(count)} ${label.toLowerCase()}`);
  return targets.length === 0 ? '' : `${formatNoun(targets.length, 'more target')}: ${states.join(', ')}`;
}

/** A node in words, without its name. */
export const describeNode = ({ state, queued, rate }: TopologyNode, unit: string): string =>
  [state, queued, rate === 0 ? '' : `${formatRate(rate)} ${unit}`].filter((part) => part !== '').join(' · ');

/** The start of the current minute and the time in it, in seconds since 1970: rates are means of it and the one before. */
function minuteOf({ step_seconds: step, since, data }: TargetsTraffic, now: number) {
  const begun = new Date(since).getTime() / 1000 + ((data[0]?.delivered.length ?? 1) - 1) * step;
  // The counts may be older than the page's clock.
  return { step, begun, until: Math.min(begun + step, Math.max(begun, now / 1000)) };
}

const startOf = ({ started_at: at }: Stats) => new Date(at).getTime() / 1000;

const perSecond = (count: number, seconds: number): number =>
  seconds < MIN_SECONDS || count / seconds < MIN_RATE ? 0 : count / seconds;

/** Events per second, which are counted since the start of the daemon. */
function sourceRate(stats: Stats, traffic: TargetsTraffic | undefined, now: number): number {
  if (traffic === undefined) return 0;
  const { step, begun, until } = minuteOf(traffic, now);
  const from = Math.max(begun - step, startOf(stats));
  const steps = fromStats(stats).steps.filter(({ at }) => at >= from);
  return perSecond(
    steps.reduce((sum, { events }) => sum + events, 0),
    until - from,
  );
}

/** Attempts per second. */
function rateOf(id: string, stats: Stats, traffic: TargetsTraffic | undefined, now: number): number {
  const counts = traffic?.data.find(({ target_id: target }) => target === id);
  if (traffic === undefined || counts === undefined) return 0;
  const { step, begun, until } = minuteOf(traffic, now);
  const { delivered, failed } = counts;
  // Unknown are the minutes in which the daemon did not run.
  const isKnown = (minute: number) => (delivered.at(minute) ?? null) !== null;
  const hasRun = isKnown(-2) && isKnown(-3);
  const from = hasRun ? begun - step : Math.max(begun - step, startOf(stats));
  const attempts = [...delivered.slice(-2), ...failed.slice(-2)];
  return perSecond(
    attempts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    until - from,
  );
}
