import type { ReplayDetail, ReplaySummary } from '../../../contract/replay';
import { writeFacts } from '../facts';
import { writeLine, writeTable, type Column } from '../output';
import { count, duration } from '../words';

export const hasEnded = ({ ended_at: at }: ReplaySummary): boolean => at !== null;

/** How many deliveries of any target have this outcome. About jobs, an older hub does not report. */
export const sum = (
  { report = [] }: Partial<Pick<ReplayDetail, 'report'>>,
  outcome: (typeof OUTCOMES)[number],
): number => report.reduce((total, tally) => total + tally[outcome], 0);

/** How much of how much, in words. */
export const eventsOf = ({ events, total, estimated }: ReplaySummary): string =>
  `${count(events)} of ${estimated ? 'about ' : ''}${count(Math.max(events, total))}`;

export const waitsFor = ({ waiting_for: waiting }: ReplaySummary): string =>
  waiting.map(({ name, why }) => `${name} (${why.replace('_', ' ')})`).join(', ');

/** Why nothing is sent to some targets, and what to do. */
export const describeWaiting = ({
  waiting_for: waiting = [],
}: Partial<Pick<ReplaySummary, 'waiting_for'>>): string =>
  waiting
    .map(({ name, why, since, reason }) => {
      const [state, remedy] = WAITS[why];
      const argument = /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
      return `Waiting for ${name}, ${state} since ${since}: ${reason.replace(/\.$/, '')}. ${remedy} ${argument}`;
    })
    .join('. ');

/** The state of a target that is waited for, and a command that ends it. */
const WAITS = {
  paused: ['paused', 'To go on: switchboard targets resume'],
  offline: ['offline', 'To go on, start its receiver, or: switchboard listen --name'],
  breaker_open: [
    'failing',
    'It is tried again from time to time; to see its answer: switchboard targets test',
  ],
} as const;

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
  const { report } = replay;
  const { per_second: perSecond, pace } = replay.rate as { per_second?: number; pace?: number };
  writeFacts([
    ['replay', replay.id],
    ['state', replay.state],
    ['filter', JSON.stringify(replay.filter)],
    ['rate', perSecond === undefined ? pace && `${pace}x` : `${perSecond}/s`],
    ['events', eventsOf(replay)],
    ['removed', replay.removed || null],
    ['waits for', waitsFor(replay)],
    ['created', replay.created_at],
    ['ended', replay.ended_at],
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
