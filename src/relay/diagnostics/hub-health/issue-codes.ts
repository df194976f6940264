import type { AlertType } from '../../events/alert';

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
  'target.none',
  'target.paused',
] as const;

type CodeOf<Type extends AlertType> = Type extends `relay.${infer Code}` ? Code : never;

export type IssueCode = CodeOf<AlertType> | (typeof CODES_WITHOUT_ALERT)[number];
