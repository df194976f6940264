/** Time as it is handed in, so that tests can move it. Milliseconds since 1970. */
export abstract class Clock {
  abstract now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
