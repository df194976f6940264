import type { AlertSummary } from '../contract/alert';

/** What is wrong, how badly, since when and how often; not what to do. */
export function describeAlert({ severity, sentence, since, count }: AlertSummary): string {
  const times = count === 1 ? '' : `, ${count} times`;
  return `${severity} since ${since}${times}: ${sentence}`;
}
