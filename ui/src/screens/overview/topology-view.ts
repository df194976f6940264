import type { Connection } from '@contract/connection';
import type { Stats, TargetsTraffic } from '@contract/stats';
import type { Target } from '@contract/target';
import { formatCount, formatNoun, formatRate } from '../../format/number';
import { CONNECTION_LABELS } from '../../labels/connection-labels';
import type { Tone } from '../../labels/state-label';
import { targetLabels, worstFirst } from '../../labels/target-labels';
import { fromStats } from '../../features/traffic-chart/traffic-view';

/** One side of the hub: Co-Pilot, or a target. */
export interface TopologyNode {
  id: string;
  name: string;
  tone: Tone;
  /** The state and the backlog. */
  state: string;
  /** Events or attempts per second. */
  rate: number;
}

export interface TopologyView {
  source: TopologyNode;
  /** The worst first. */
  targets: TopologyNode[];
  /** How many targets are left out. */
  others: number;
}

const MAX_TARGETS = 8;
/** A lower rate would be shown as 0.0. */
const MIN_RATE = 0.05;

/** Where events come from and where they go, with their present rates. */
export function topologyView(
  { connection, stats, targets }: { connection: Connection; stats: Stats; targets: readonly Target[] },
  traffic: TargetsTraffic | undefined,
  now: number,
): TopologyView {
  const last = fromStats(stats).steps.at(-1);
  const { tone, label } = CONNECTION_LABELS[connection.state];
  const sorted = worstFirst(targets);
  return {
    source: {
      id: 'co-pilot',
      name: 'Co-Pilot',
      tone,
      state: label,
      rate: last === undefined ? 0 : last.events / last.seconds,
    },
    targets: sorted.slice(0, MAX_TARGETS).map((target) => {
      const labels = targetLabels(target);
      const { open } = target.backlog;
      return {
        id: target.id,
        name: target.name,
        tone: labels[0]!.tone,
        state: [
          ...labels.map((one) => one.label),
          ...(open === 0 ? [] : [`${formatCount(open)} queued`]),
        ].join(' · '),
        rate: rateOf(target.id, traffic, now),
      };
    }),
    others: Math.max(0, sorted.length - MAX_TARGETS),
  };
}

/** The topology in sentences. */
export const describeTopology = ({ source, targets, others }: TopologyView): string[] => [
  `${source.name}: ${source.state}, ${formatRate(source.rate)} events/s received.`,
  ...targets.map(({ name, state, rate }) => `${name}: ${state}, ${formatRate(rate)} attempts/s.`),
  ...(others === 0 ? [] : [`${formatNoun(others, 'more target')}.`]),
];

/** Attempts per second in the previous and the current minute. */
function rateOf(id: string, traffic: TargetsTraffic | undefined, now: number): number {
  const counts = traffic?.data.find(({ target_id: target }) => target === id);
  if (traffic === undefined || counts === undefined) return 0;
  const { step_seconds: step, since } = traffic;
  const begun = new Date(since).getTime() / 1000 + (counts.delivered.length - 1) * step;
  const seconds = step + Math.min(step, Math.max(0, now / 1000 - begun));
  const attempts = [...counts.delivered.slice(-2), ...counts.failed.slice(-2)];
  const rate = attempts.reduce<number>((sum, count) => sum + (count ?? 0), 0) / seconds;
  return rate < MIN_RATE ? 0 : rate;
}
