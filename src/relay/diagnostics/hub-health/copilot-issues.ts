import type { Connection, ConnectionState } from '../../../contract/connection';
import type { Outage } from '../../../contract/outage';
import type { Subscription } from '../../../contract/subscription';
import { countOf, draftIssue, type IssueDraft } from './draft-issue';

const SEVERITIES: Partial<Record<ConnectionState, IssueDraft['severity']>> = {
  not_connected: 'warning',
  renewal_interrupted: 'warning',
  unreachable: 'warning',
  client_rejected: 'critical',
  consent_needed: 'critical',
};

/** The connection to Co-Pilot and the webhook there. */
export function copilotIssues(connection: Connection, subscription: Subscription): IssueDraft[] {
  const found = connectionIssues(connection);
  // Without a connection there is no subscription; one issue is enough.
  return connection.state === 'not_connected' ? found : [...found, ...subscriptionIssues(subscription)];
}

function connectionIssues({ state, sentence, remedy, ends_at: endsAt, scopes_missing: missing }: Connection) {
  const severity = SEVERITIES[state];
  if (severity !== undefined) {
    const isNew = state === 'not_connected';
    const code = isNew ? 'connection.missing' : 'connection.down';
    return [
      draftIssue({ code, id: isNew ? 'not-connected' : `connection:${state}`, severity, sentence, remedy }),
    ];
  }
  if (endsAt !== null) return [draftIssue({ code: 'connection.ending', sentence, remedy })];
  if (missing.length === 0) return [];
  return [
    draftIssue({
      code: 'connection.scopes_missing',
      sentence: `Co-Pilot has not granted ${missing.join(', ')}.`,
      remedy: remedy ?? 'Connect again and grant them, or remove their events from COPILOT_EVENTS.',
    }),
  ];
}

function subscriptionIssues({
  state,
  sentence,
  remedy,
  reachability: check,
  last_notification_at: lastAt,
}: Subscription): IssueDraft[] {
  const found: IssueDraft[] = [];
  if (state === 'failed')
    found.push(
      draftIssue({
        code: 'subscription.down',
        id: 'subscription:failed',
        severity: 'critical',
        sentence,
        remedy,
      }),
    );
  if (state === 'paused')
    found.push(
      draftIssue({
        code: 'subscription.paused',
        id: 'subscription:paused',
        sentence,
        remedy,
        deliberate: true,
      }),
    );
  // A failed check only matters until the next notification arrives.
  if (check !== null && check.failures > 0 && (lastAt === null || lastAt <= check.at))
    found.push(
      draftIssue({
        code: 'subscription.unreachable',
        id: 'reachability',
        sentence: check.sentence,
        remedy: check.remedy,
        since: check.at,
      }),
    );
  return found;
}

/** Outages that nobody has dismissed, and the present silence unless that was. */
export function outageIssues(outages: readonly Outage[], silence: Subscription['silence']): IssueDraft[] {
  const found: IssueDraft[] = [];
  if (silence !== null && !outages.some((one) => isOngoing(one) && one.dismissed_at !== null))
    found.push(
      draftIssue({
        code: 'outage.silence',
        id: 'silence',
        severity: 'critical',
        sentence: silence.sentence,
        remedy:
          'Check in Co-Pilot whether something changed meanwhile, and whether the webhook still exists.',
        since: silence.since,
      }),
    );
  const [newest, ...earlier] = outages.filter((one) => one.dismissed_at === null && !isOngoing(one));
  if (newest !== undefined)
    found.push(
      draftIssue({
        code: 'outage.ended',
        id: newest.id,
        sentence: newest.sentence,
        remedy: 'Check in Co-Pilot what changed in that period, then dismiss the outage.',
        count: earlier.length === 0 ? null : countOf(earlier.length, 'earlier outage'),
        since: newest.began_at,
      }),
    );
  return found;
}

const isOngoing = ({ kind, ended_at: endedAt }: Outage) => kind === 'silence' && endedAt === null;
