import type { StatusRange } from '../../contract/target-policy';

/** A function that tells whether an HTTP status is in the list, by its number or its class (`"5xx"`). */
export function statusMatcher(statuses: readonly StatusRange[]): (status: number) => boolean {
  const numbers = new Set(statuses.filter((range) => typeof range === 'number'));
  const classes = new Set(
    statuses.filter((range) => typeof range === 'string').map((range) => Number(range[0])),
  );
  return (status) => numbers.has(status) || classes.has(Math.floor(status / 100));
}
