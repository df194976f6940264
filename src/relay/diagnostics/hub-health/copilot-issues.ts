import type { Connection, ConnectionState } from '../../../contract/connection';
import type { Outage } from '../../../contract/outage';
import type { Subscription } from '../../../contract/subscription';
import { countOf, draftIssue, type IssueDraft } from './draft-issue';

const SEVERITIES: Partial<Record<ConnectionState, IssueDraft['severity']>> = {
  renewal_interrupted: 'warning',
  unreachable: 'warning',
  client_rejected: 'critical',
  consent_needed: 'critical',
};

/** The connection to Co-Pilot and the webhook there. */
export function* copilotIssues(connection: Connection, subscription: Subscription): Generator<IssueDraft> {
  yield* connectionIssues(connection);
  // Without a connection there is no subscription; one issue is enough.
  if (connection.state !== 'not_connected') yield* subscriptionIssues(subscription);
}

function* connectionIssues({
  state,
  sentence,
  remedy,
  ends_at: endsAt,
  scopes_missing: missing,
}: Connection) {
  const severity = SEVERITIES[state];
  if (state === 'not_connected')
    yield draftIssue({ code: 'connection.missing', id: 'not-connected', sentence, remedy });
  else if (severity !== undefined)
    yield draftIssue({ code: 'connection.down', id: `connection:${state}`, severity, sentence, remedy });
  else if (endsAt !== null) yield draftIssue({ code: 'connection.ending', sentence, remedy });
  else if (missing.length > 0)
    yield draftIssue({
      code: 'connection.scopes_missing',
      sentence: `Co-Pilot has not granted ${missing.join(', ')}.`,
      remedy: remedy ?? 'Connect again and grant them, or remove their events from COPILOT_EVENTS.',
    });
}

function* subscriptionIssues({
  state,
  reachability: check,
  last_notification_at: lastAt,
  ...texts
}: Subscription) {
  const { sentence, problem, remedy } = texts;
  const id = `subscription:${state}`;
  if (state === 'failed')
    yield draftIssue({ code: 'subscription.down', id, severity: 'critical', sentence, remedy });
  // Its alert waits for further checks, as the next one often succeeds.
  if ((state === 'active' || state === 'registering') && problem !== null)
    yield draftIssue({ code: 'subscription.unchecked', id, sentence, remedy });
  if (state === 'paused')
    yield draftIssue({ code: 'subscription.paused', id, sentence, remedy, deliberate: true });
  // A failed check only matters until the next notification arrives.
  if (check !== null && check.failures > 0 && (lastAt === null || lastAt <= check.at))
    yield draftIssue({
      code: 'subscription.unreachable',
      id: 'reachability',
      sentence: check.sentence,
      remedy: check.remedy,
      since: check.at,
    });
}

/** Outages that nobody has dismissed, and the present silence unless that was. */
export function* outageIssues(
  outages: readonly Outage[],
  silence: Subscription['silence'],
): Generator<IssueDraft> {
  if (silence !== null && !outages.some((one) => isOngoing(one) && one.dismissed_at !== null))
    yield draftIssue({
      code: 'outage.silence',
      id: 'silence',
      severity: 'critical',
      sentence: silence.sentence,
      remedy: 'Check in Co-Pilot whether something changed meanwhile, and whether the webhook still exists.',
      since: silence.since,
    });
  const [newest, ...earlier] = outages.filter((one) => one.dismissed_at === null && !isOngoing(one));
  if (newest !== undefined)
    yield draftIssue({
      code: 'outage.ended',
      id: newest.id,
      sentence: newest.sentence,
      remedy:
        'Repair it, which finds the deals that have changed, or check them in Co-Pilot. Then dismiss it.',
      count: earlier.length === 0 ? null : countOf(earlier.length, 'earlier outage'),
      since: newest.began_at,
    });
}

const isOngoing = ({ kind, ended_at: endedAt }: Outage) => kind === 'silence' && endedAt === null;
