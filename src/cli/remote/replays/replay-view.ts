import type { ReplayDetail, ReplaySummary } from '../../../contract/replay';
import { writeObject } from '../facts';
import { writeLine, writeTable, type Column } from '../output';
import { count, duration } from '../words';

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
    rate === null ? null : `${rate < 10 ? Number(rate.toFixed(1)) : count(Math.round(rate))}/s`,
    eta === null ? null : `${duration(eta)} left`,
    `${count(dead)} dead`,
    waiting === '' ? null : `waits for ${waiting}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** @param names of targets, by id */
export async function writeReplay(replay: ReplayDetail, names: ReadonlyMap<string, string>): Promise<void> {
  const { report, ...rest } = replay;
  writeObject(rest);
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
