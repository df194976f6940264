import type { ReplayDetail, ReplayRate, ReplaySummary } from '../../../contract/replay';
import { writeFacts } from '../facts';
import { writeLine, writeTable, type Column } from '../output';
import { count, counted, duration } from '../words';

export const hasEnded = ({ ended_at: at }: ReplaySummary): boolean => at !== null;

/** How many deliveries of any target have this outcome. */
export const sum = ({ report }: ReplayDetail, outcome: 'open' | 'dead'): number =>
  report.reduce((total, tally) => total + tally[outcome], 0);

/** How much of how much, in words. */
export const eventsOf = ({ events, total, estimated }: ReplaySummary): string =>
  `${count(events)} of ${estimated ? 'about ' : ''}${count(Math.max(events, total))}`;

export const waitsFor = ({ waiting_for: waiting }: ReplaySummary): string =>
  waiting.map(({ name, why }) => `${name} (${why.replace('_', ' ')})`).join(', ');

/** Progress in a line. */
export function describeProgress(replay: ReplayDetail): string {
  const { state, events_per_second: rate, eta_s: eta } = replay;
  const dead = sum(replay, 'dead');
  const waiting = waitsFor(replay);
  return [
    `${eventsOf(replay)} events`,
    state === 'running' ? null : state,
    rate === null ? null : `${rate < 10 ? rate : count(Math.round(rate))}/s`,
    eta === null ? null : `${duration(eta)} left`,
    `${count(dead)} dead`,
    waiting === '' ? null : `waits for ${waiting}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

function describeRate(rate: ReplayRate): string {
  if (typeof rate === 'string') return 'as fast as the targets allow';
  return 'pace' in rate ? `${rate.pace} times the original pace` : `${rate.per_second} events per second`;
}

/** @param names of targets, by id */
export async function writeReplay(replay: ReplayDetail, names: ReadonlyMap<string, string>): Promise<void> {
  const { report, removed, eta_s: eta } = replay;
  const { until_seq: _, ...filter } = replay.filter;
  writeFacts([
    ['id', replay.id],
    ['state', replay.state],
    ['created', replay.created_at],
    ['ended', replay.ended_at],
    ['event', replay.event_id],
    ['filter', Object.keys(filter).length > 0 ? JSON.stringify(filter) : null],
    ['up to seq', replay.until_seq],
    ['rate', describeRate(replay.rate)],
    ['events', eventsOf(replay)],
    ['removed', removed === 0 ? null : `${counted(removed, 'event')}, by retention, before their turn`],
    ['time left', eta === null ? null : duration(eta)],
    ['waits for', waitsFor(replay)],
  ]);
  if (report.length === 0) return;
  await writeLine('');
  await writeTable<(typeof report)[number]>(
    [
      { head: 'target', text: ({ target_id: id }) => names.get(id) ?? id },
      ...OUTCOMES.map((outcome): Column<(typeof report)[number]> => ({
        head: outcome,
        text: (tally) => count(tally[outcome]),
        style: (tally) => (outcome === 'dead' && tally.dead > 0 ? 'red' : undefined),
      })),
    ],
    report,
  );
}

const OUTCOMES = ['deliveries', 'open', 'succeeded', 'dead', 'cancelled'] as const;
