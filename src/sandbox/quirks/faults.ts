/**
 * What the sandbox can be told to do wrong. The JSON routes, the panel's section, the command line's help and
 * `docs/sandbox.md` are all made from this table.
 */
export const FAULTS = {
  token_reset: 'The token endpoint drops the connection: no answer, and nothing is carried out.',
  token_500: 'The token endpoint answers 500, and nothing is carried out.',
  token_html: 'The token endpoint answers 200 with a page of HTML, and nothing is carried out.',
  token_lost: 'The token endpoint carries the request out and drops the connection before its answer.',
  api_401: 'The API answers 401 as to a token that has expired, whatever the token.',
  api_403: 'The API answers 403.',
  api_429: 'The API answers 429 with a `Retry-After` of the reading `retry_after_seconds`.',
  api_500: 'The API answers 500, and nothing is carried out.',
  api_slow: 'The API carries the request out and answers late, by the reading `slow_answer_seconds`.',
  notifications_duplicated: 'A notification is sent twice, the same bytes at the same time.',
  notifications_reordered:
    'A notification is held back until the next one for its webhook was tried, for 3 s at most.',
} as const;

export type FaultName = keyof typeof FAULTS;

/** `true`: until it is turned off; a number: the next so many times; `false`: not. */
type FaultState = boolean | number;

export type FaultStates = Record<FaultName, FaultState>;

/** The faults that are on. */
export class Faults {
  private readonly states: FaultStates;

  constructor(changes: Partial<FaultStates> = {}) {
    const off = Object.keys(FAULTS).map((name) => [name, false]);
    this.states = { ...(Object.fromEntries(off) as FaultStates), ...changes };
  }

  get now(): Readonly<FaultStates> {
    return this.states;
  }

  change(changes: Partial<FaultStates>): void {
    Object.assign(this.states, changes);
  }

  /** Whether this fault is to happen now; one that is on for a number of times is on for one less after that. */
  take(name: FaultName): boolean {
    const state = this.states[name];
    if (typeof state === 'number') this.states[name] = state > 1 && state - 1;
    return state !== false;
  }

  /** The first of these that is to happen now, if one is. */
  takeFirst<N extends FaultName>(names: readonly N[]): N | undefined {
    return names.find((name) => this.take(name));
  }
}
