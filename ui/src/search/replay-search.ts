import type { OriginalOutcome, ReplayRate } from '@contract/replay';
import type { ReplayInput } from '../api/replays';
import { parseTimeRange, resolveTimeRange, type TimeRange } from '../format/time-range';
import { toStrings, toTargetIds } from './live-search';
import { parsePayload } from './payload-conditions';
import { formatCount } from '../format/number';
import { OUTCOME_LABELS } from '../labels/replay-labels';

const STEPS = ['events', 'destination', 'start'] as const;
export type ReplayStep = (typeof STEPS)[number];

/** The plan of a new replay. Other screens link to it with a filter. */
export interface ReplaySearch extends TimeRange {
  step?: ReplayStep;
  type?: string[];
  entity?: string;
  q?: string;
  /** Conditions on the payload, as JSON. */
  payload?: string;
  /** The original target. */
  target?: string;
  outcome?: OriginalOutcome[];
  /** The target ids; without them, the original targets. */
  to?: string[];
  /** Events per second, or a factor of the original speed. */
  per_second?: string;
  pace?: string;
}

const TEXTS = ['entity', 'q', 'payload', 'per_second', 'pace'] as const;

const isStep = (text: string | undefined): text is ReplayStep => STEPS.some((step) => step === text);
const isOutcome = (text: string): text is OriginalOutcome => text in OUTCOME_LABELS;

/** The plan of a new replay. */
export function replaySearch(search: Record<string, unknown>): ReplaySearch {
  const plan: ReplaySearch = parseTimeRange(search);
  const [step] = toStrings(search['step']);
  if (isStep(step) && step !== 'events') plan.step = step;
  const type = toStrings(search['type']);
  if (type.length > 0) plan.type = type;
  const outcome = toStrings(search['outcome']).filter(isOutcome);
  if (outcome.length > 0) plan.outcome = outcome;
  const [target] = toTargetIds(search['target']);
  if (target !== undefined) plan.target = target;
  const to = toTargetIds(search['to']);
  if (to.length > 0) plan.to = to;
  for (const name of TEXTS) {
    const [text] = toStrings(search[name]);
    if (text !== undefined) plan[name] = text;
  }
  return plan;
}

/** The plan as API input. A relative range of time is resolved at `now`. */
export function toReplayInput(plan: ReplaySearch, now: number): ReplayInput {
  const { type: types, outcome: outcomes, entity, q, target } = plan;
  const payload = plan.payload === undefined ? undefined : (parsePayload(plan.payload) ?? undefined);
  const filter = { types, outcomes, entity, q, payload, target, ...resolveTimeRange(plan, now) };
  return {
    filter,
    all: Object.values(filter).every((value) => value === undefined),
    target_ids: plan.to,
    rate: rateOf(plan.per_second, plan.pace),
  };
}

function rateOf(perSecond: string | undefined, pace: string | undefined): ReplayRate {
  if (perSecond !== undefined) return { per_second: Number(perSecond) };
  return pace === undefined ? 'as_fast_as_allowed' : { pace: Number(pace) };
}

const LIMITS = { per_second: [0.01, 10_000], pace: [0.01, 100_000] } as const;

/** The error of a speed field, if any. */
export function speedError(name: keyof typeof LIMITS, text: string): string | undefined {
  const [min, max] = LIMITS[name];
  const value = Number(text);
  if (text.trim() !== '' && value >= min && value <= max) return undefined;
  return `Enter a number from ${min} to ${formatCount(max)}.`;
}

/** Whether the speed of the plan is valid. */
export const isValidPlan = ({ per_second: perSecond, pace }: ReplaySearch): boolean =>
  (perSecond === undefined || speedError('per_second', perSecond) === undefined) &&
  (pace === undefined || speedError('pace', pace) === undefined);
