/**
 * Failures that the sandbox can simulate. The JSON routes, the panel, the command's help and `docs/sandbox.md` all follow this
 * table.
 */
export const FAULTS = {
  token_reset: 'The token endpoint drops the connection and does nothing else.',
  token_500: 'The token endpoint responds with 500 and does nothing else.',
  token_html: 'The token endpoint responds with 200 and an HTML page and does nothing else.',
  token_lost: 'The token endpoint processes the request and drops the connection before responding.',
  api_401: 'The API responds with 401 as for an expired token.',
  api_403: 'The API responds with 403.',
  api_429: 'The API responds with 429 and the `Retry-After` of the reading `retry_after_seconds`.',
  api_500: 'The API responds with 500 and does nothing else.',
  api_slow: 'The API processes the request and delays the response by the reading `slow_answer_seconds`.',
  notifications_duplicated: 'A notification is sent twice at the same time, with the same bytes.',
  notifications_reordered:
    'A notification is held until the next one for its webhook has been attempted, for at most 3 s.',
} as const;

export type FaultName = keyof typeof FAULTS;

/** `true`: until turned off; a number: that many times; `false`: off. */
type FaultState = boolean | number;

export type FaultStates = Record<FaultName, FaultState>;

/** The current states of the faults. */
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

  /** Whether the fault occurs now; counts down a fault that is on for a number of times. */
  take(name: FaultName): boolean {
    const state = this.states[name];
    if (typeof state === 'number') this.states[name] = state > 1 && state - 1;
    return state !== false;
  }

  /** The first of these faults that occurs now, if any. */
  takeFirst<N extends FaultName>(names: readonly N[]): N | undefined {
    return names.find((name) => this.take(name));
  }
}
