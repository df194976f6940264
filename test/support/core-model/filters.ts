import type { Filter } from '../../../src/contract/filter';
import type { StatusBefore } from './records';

/** A filter of a target, and what it says of a status, as docs/targets.md has it. Null: that is not known. */
interface Rule {
  filter: Filter | null;
  judge: (status: number, before: StatusBefore) => boolean | null;
}

export interface ModelFilter extends Rule {
  /** Whether it compares with the state before. */
  isRouted: boolean;
  /** Whether events are skipped of which it is not known whether they match. */
  skips: boolean;
}

const ifKnown = (judge: (status: number, before: number | undefined) => boolean): Rule['judge'] => {
  return (status, before) => (before === null ? null : judge(status, before));
};

const PLAIN: readonly Rule[] = [
  { filter: null, judge: () => true },
  { filter: { 'data.status': { $ne: 1 } }, judge: (status) => status !== 1 },
];
const ROUTED: readonly Rule[] = [
  { filter: { 'data.status': { $changed: true } }, judge: ifKnown((status, before) => status !== before) },
  { filter: { 'data.status': { $changed: false } }, judge: ifKnown((status, before) => status === before) },
  {
    filter: { 'data.status': { $became: { $gte: 1 } } },
    judge: (status, before) =>
      status >= 1 && (before === null ? null : !(before !== undefined && before >= 1)),
  },
  { filter: { 'data.status': { $was: 2 } }, judge: ifKnown((_, before) => before === 2) },
  {
    filter: { $or: [{ 'data.status': 0 }, { 'data.status': { $was: 1 } }] },
    judge: (status, before) => status === 0 || (before === null ? null : before === 1),
  },
];

const RULES = [...ROUTED, ...PLAIN];

const toFilter = (rule: Rule, skips: boolean): ModelFilter => ({
  ...rule,
  isRouted: ROUTED.includes(rule),
  skips,
});

/** Of a target that receives everything. */
export const EVERYTHING = toFilter(PLAIN[0]!, false);

/** One of the filters. @param choice any natural number */
export const contentFilterOf = (choice: number): ModelFilter =>
  toFilter(RULES[choice % RULES.length]!, Math.floor(choice / RULES.length) % 2 === 1);

/** The filter of a target as it is stored. @param policy without what is the default */
export function fromFilter(filter: string | null, policy: string): ModelFilter {
  const rule = RULES.find((one) => JSON.stringify(one.filter) === (filter ?? 'null'))!;
  return toFilter(rule, (JSON.parse(policy) as { unknown_previous?: string }).unknown_previous === 'skip');
}

/** Whether a filter lets a status pass. */
export const sends = ({ judge, skips }: ModelFilter, status: number, before: StatusBefore): boolean =>
  judge(status, before) ?? !skips;

export const unknownPolicy = ({ skips }: ModelFilter) => ({
  unknown_previous: skips ? ('skip' as const) : ('send' as const),
});
