import type { Knowledge } from '../../contract/entity';
import type { Filter } from '../../contract/filter';
import { foldBody, foldQuery } from '../ground/fold-text';
import { parseBody } from '../ground/parse-body';
import { RelayError } from '../ground/relay-error';
import { compileFilter, looksAtChanges, type Previous } from './compile-filter';
import { CHANGE_OPERATORS } from './filter-operators';
import type { Verdict } from './verdict';

/** Of the filters of a list, those that need the bodies of events. */
interface BodyConditions {
  /** Conditions on the payload. */
  payload?: Filter | undefined;
  /** Whether it is met by an event that it compares with what is not known. */
  unknown_previous?: 'send' | 'skip' | undefined;
  /** A text that the body contains. */
  q?: string | undefined;
}

/** The conditions as JSON, or null if there are none. @throws RelayError as `compileFilter` does */
export function bodyConditions({ payload, q, unknown_previous }: BodyConditions): string | null {
  if (payload !== undefined) compileFilter(payload);
  return payload === undefined && q === undefined ? null : JSON.stringify({ payload, q, unknown_previous });
}

/** As {@link bodyConditions}, of states: they are compared with nothing. */
export function stateConditions(filters: BodyConditions): string | null {
  const conditions = bodyConditions(filters);
  if (conditions === null || !lookAtChanges(conditions)) return conditions;
  throw new RelayError('filter_invalid', 422, 'A state is compared with no other one.', {
    remedy: `Leave out ${CHANGE_OPERATORS.join(', ')}, or list events.`,
    errors: [{ path: 'payload', message: 'operators for changes are for events' }],
  });
}

/** Whether they look at the state before an event. @param conditions JSON of {@link bodyConditions} */
export function lookAtChanges(conditions: string): boolean {
  const { payload } = JSON.parse(conditions) as BodyConditions;
  return payload !== undefined && looksAtChanges(payload);
}

/** For each of several conditions, whether a body meets them; null if it meets none. */
export type JudgeBody = (body: Uint8Array, before?: BodyBefore) => readonly Verdict[] | null;

/**
 * For conditions on the payload, bodies must be JSON.
 * @param conditions JSON of {@link bodyConditions} each
 */
export function judgeBodies(conditions: readonly string[]): JudgeBody {
  const judges = conditions.map((one) => compileConditions(JSON.parse(one) as BodyConditions));
  return (body, before = UNKNOWN) => {
    const content = once(() => parseBody(body));
    const previous = previousIn(before);
    const verdicts = judges.map((judge) => judge(body, content, previous));
    return verdicts.every((verdict) => verdict === false) ? null : verdicts;
  };
}

function compileConditions({ payload, q, unknown_previous: unknown }: BodyConditions) {
  const texts = q === undefined ? null : foldQuery(q);
  const matches = payload === undefined ? null : compileFilter(payload);
  return (body: Uint8Array, content: () => unknown, previous: Previous): Verdict => {
    const folded = texts === null ? '' : foldBody(body);
    if (texts?.some((text) => folded.includes(text)) === false) return false;
    const verdict = matches === null || matches(content(), previous);
    return verdict ?? (unknown === 'skip' ? false : null);
  };
}

/** What an event is compared with; the body is null unless it is known. */
export interface BodyBefore {
  knowledge: Knowledge;
  body: Uint8Array | null;
}

const UNKNOWN: BodyBefore = { knowledge: 'unknown', body: null };

export const previousIn = ({ knowledge, body }: BodyBefore): Previous =>
  knowledge === 'unknown' ? null : once(() => (body === null ? undefined : parseBody(body)));

/** Reads at the first call only. */
function once<T>(read: () => T): () => T {
  let value: { of: T } | null = null;
  return () => (value ??= { of: read() }).of;
}
