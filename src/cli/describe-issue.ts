import type { Issue } from '../contract/health';

/** Severity, start, count and sentence of an issue, without its remedy. */
export function describeIssue({ severity, since, count, sentence, snoozed }: Issue): string {
  const from = since === null ? '' : ` since ${since}`;
  const details = [count, snoozed === null ? null : describeSnooze(snoozed)].filter((part) => part !== null);
  return `${[`${severity}${from}`, ...details].join(', ')}: ${sentence}`;
}

const describeSnooze = ({ operator, note }: NonNullable<Issue['snoozed']>): string =>
  `acknowledged${operator === null ? '' : ` by ${operator}`}${note === null ? '' : `: ${note}`}`;
