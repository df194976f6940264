import type { Issue } from '../../../contract/health';
import type { AlertType } from '../../events/alert';
import { formatCount } from '../../ground/format-count';

/** The codes of issues that have no alert. Each has a row in docs/troubleshooting.md, as each alert does. */
export const CODES_WITHOUT_ALERT = [
  'connection.missing',
  'connection.scopes_missing',
  'daemon.dead',
  'notification.held',
  'notification.rejected',
  'notification.slow',
  'outage.ended',
  'outage.silence',
  'subscription.paused',
  'target.behind',
  'target.blocked',
  'target.none',
  'target.paused',
  'target.recovered',
] as const;

type CodeOf<Type extends AlertType> = Type extends `relay.${infer Code}` ? Code : never;

export type IssueCode = CodeOf<AlertType> | (typeof CODES_WITHOUT_ALERT)[number];

/** An issue of which it is not known yet whether it is snoozed. */
export type IssueDraft = Omit<Issue, 'snoozed' | 'code'> & { code: IssueCode };

/** An issue with what most have in common. */
export const draftIssue = (
  parts: Pick<IssueDraft, 'code' | 'sentence'> & Partial<IssueDraft>,
): IssueDraft => ({
  id: parts.code,
  severity: 'warning',
  remedy: null,
  count: null,
  since: null,
  target_id: null,
  target_name: null,
  event_id: null,
  deliberate: false,
  ...parts,
});

/** Such as `1 delivery`, or `12 deliveries`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;
