import type { Issue } from '../contract/health';

/** Severity, start, count and sentence of an issue, without its remedy. */
export function describeIssue({ severity, since, count, sentence, snoozed }: Issue): string {
  const from = since === null ? '' : ` since ${since}`;
  const details = [count, snoozed === null ? null : 'snoozed'].filter((part) => part !== null);
  return `${[`${severity}${from}`, ...details].join(', ')}: ${sentence}`;
}
