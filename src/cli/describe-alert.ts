import type { AlertSummary } from '../contract/alert';

/** Severity, start, count and sentence of an alert, without its remedy. */
export function describeAlert({ severity, sentence, since, count }: AlertSummary): string {
  const times = count === 1 ? '' : `, ${count} times`;
  return `${severity} since ${since}${times}: ${sentence}`;
}
