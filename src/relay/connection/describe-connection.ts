import { toIso } from '../ground/iso-time';
import { reachRemedy } from '../ground/machine-faults';
import type { Connection, ConnectionState } from '../../contract/connection';
import type { CopilotSettings } from '../settings/settings';
import type { FailedConsent } from './authorization-flow';
import { renewalDueAt, type Grant } from './grant';
import { NO_ANSWER } from './read-token-response';
import type { EventType } from '../../protocol/event-types';
import { SCOPE_OF_EVENT, type Scope } from '../../protocol/scopes';

/** Required to create and maintain our webhook (document, 5.5: "management of webhooks"). */
const WEBHOOKS_SCOPE: Scope = 'webhooks';

/**
 * What will not work without the scopes that were requested and not granted. The document does not say which scope an
 * event requires (5.5), so an event without its scope may or may not arrive.
 * @param missing at least one
 * @param events the subscribed ones
 */
function describeMissingScopes(missing: readonly string[], events: readonly EventType[]) {
  const losses = missing.map((scope) => describeLoss(scope, events));
  return {
    sentence: `Co-Pilot granted fewer scopes than were requested. ${losses.join(' ')}`,
    remedy: missing.includes(WEBHOOKS_SCOPE)
      ? 'Connect again and grant every scope: no webhook can be registered without the webhooks scope.'
      : 'Connect again and grant every scope, or remove the affected entries from COPILOT_EVENTS or COPILOT_SCOPES.',
  };
}

function describeLoss(scope: string, events: readonly EventType[]): string {
  if (scope === WEBHOOKS_SCOPE)
    return 'Without webhooks the webhook can be neither registered nor repaired, so no events may arrive.';
  const affected = events.filter((event) => SCOPE_OF_EVENT[event] === scope);
  return affected.length === 0
    ? `Without ${scope} nothing that Switchboard does is affected.`
    : `Without ${scope}, ${affected.join(', ')} may not arrive.`;
}

interface ConnectionFacts {
  grant: Grant | null;
  /** Whether a renewal is in progress. */
  renewing: boolean;
  /** How the last authorization failed, if it did. */
  failure: FailedConsent | null;
  /** Converts a time of the grant to the wall clock. */
  toWallClock: (at: number) => number;
}

/** The connection as the API shows it. */
export function describeConnection(facts: ConnectionFacts, copilot: CopilotSettings): Connection {
  const { grant, failure, toWallClock } = facts;
  const shown = (at: number | undefined) => (at === undefined ? null : toIso(toWallClock(at)));
  const granted = [...(grant?.scopes ?? [])];
  const missing = grant === null ? [] : copilot.scopes.filter((scope) => !granted.includes(scope));
  const due = grant === null ? null : renewalDueAt(grant);
  const state = stateOf(facts);
  return {
    state,
    ...describeState(state, facts, missing, copilot),
    base_url: copilot.baseUrl,
    client_id: copilot.clientId,
    scopes_needed: copilot.scopes,
    scopes_granted: granted,
    scopes_missing: missing,
    connected_at: shown(grant?.connectedAt),
    renewed_at: grant === null || grant.issuedAt === grant.connectedAt ? null : shown(grant.issuedAt),
    expires_at: shown(grant?.expiresAt),
    ends_at: grant !== null && isEnding(grant) ? shown(grant.expiresAt) : null,
    renews_at: grant === null || grant.refreshToken === null || due === null || due === 0 ? null : shown(due),
    consent_failure: failure && {
      at: toIso(failure.at),
      code: failure.code,
      sentence: failure.sentence,
      remedy: failure.remedy,
    },
  };
}

function stateOf({ grant, renewing }: ConnectionFacts): ConnectionState {
  if (grant === null) return 'not_connected';
  if (renewing) return 'renewing';
  if (grant.state !== 'valid') return grant.state;
  if (grant.interruptedAt !== null) return 'renewal_interrupted';
  return grant.failures > 0 ? 'unreachable' : 'connected';
}

/** With the back-off, this many failures mean that renewals have failed for more than an hour. */
const MANY_FAILURES = 10;

type StateText = Pick<Connection, 'sentence' | 'remedy'>;

const TEXTS: Record<ConnectionState, StateText> = {
  not_connected: {
    sentence: 'Switchboard is not connected to Co-Pilot.',
    remedy: 'Connect and give consent at Co-Pilot.',
  },
  connected: { sentence: 'The grant is valid, and its tokens are renewed automatically.', remedy: null },
  renewing: { sentence: 'A new access token is being requested from Co-Pilot.', remedy: null },
  renewal_interrupted: {
    sentence: 'Switchboard stopped during a token renewal, so its outcome is unknown.',
    remedy: 'The renewal is retried automatically; if Co-Pilot then rejects the grant, connect again.',
  },
  client_rejected: {
    sentence: 'Co-Pilot rejects the Client ID or the Client Secret; the grant itself is kept.',
    remedy:
      'Compare COPILOT_CLIENT_ID and COPILOT_CLIENT_SECRET with the developer panel, correct them, and restart Switchboard.',
  },
  consent_needed: {
    sentence: 'Co-Pilot no longer accepts the authorization: it was revoked there, or it has expired.',
    remedy:
      'Connect again. Until then events still arrive and are delivered, but the webhook can be neither checked nor repaired.',
  },
  unreachable: { sentence: 'The access token could not be renewed.', remedy: null },
};

/**
 * The sentence of the state, followed by why the last renewal or authorization failed and what missing scopes mean.
 */
function describeState(
  state: ConnectionState,
  facts: ConnectionFacts,
  missing: string[],
  { events }: CopilotSettings,
): StateText {
  const { grant, failure } = facts;
  const sentence = sentenceOf(state, facts);
  const remedy = remedyOf(state, grant);
  const needsConsent = state === 'not_connected' || state === 'consent_needed';
  const sentences = [sentence];
  if (grant !== null && grant.problem !== null) sentences.push(`${grant.problem}.`);
  if (grant !== null && grant.unusedSince !== null) sentences.push(unusedSentence(grant.unusedSince));
  if (needsConsent && failure !== null) {
    return { sentence: [...sentences, failure.sentence].join(' '), remedy: failure.remedy };
  }
  if (needsConsent || missing.length === 0) return { sentence: sentences.join(' '), remedy };
  const scopes = describeMissingScopes(missing, events);
  return { sentence: [...sentences, scopes.sentence].join(' '), remedy: remedy ?? scopes.remedy };
}

function unusedSentence(since: number): string {
  return `Its renewal came due while this database was not in use; the last use was at ${new Date(since).toISOString()}. If the database was restored from a backup, Co-Pilot may reject its refresh token and require a new consent.`;
}

/** Valid, but impossible to renew. */
const isEnding = ({ refreshToken, state }: Grant): boolean => refreshToken === null && state === 'valid';

function sentenceOf(state: ConnectionState, { grant, toWallClock }: ConnectionFacts): string {
  if (grant?.refreshToken !== null) return TEXTS[state].sentence;
  if (state === 'consent_needed') return 'The access to Co-Pilot has ended.';
  const end = new Date(toWallClock(grant.expiresAt)).toISOString();
  return `The access to Co-Pilot ends at ${end}: Co-Pilot gave no refresh token, so it cannot be renewed.`;
}

const NO_REFRESH_TOKEN =
  'Permit refresh tokens for the application in the developer panel (they may need a scope, to be added to COPILOT_SCOPES). Then connect again.';

function remedyOf(state: ConnectionState, grant: Grant | null): string | null {
  if (grant?.refreshToken === null) return NO_REFRESH_TOKEN;
  if (state !== 'unreachable') return TEXTS[state].remedy;
  const cause = grant?.problem?.startsWith(NO_ANSWER)
    ? reachRemedy(grant.problem)
    : 'If this persists, compare COPILOT_BASE_URL and the application with the developer panel.';
  if ((grant?.failures ?? 0) < MANY_FAILURES) return `The renewal is retried automatically. ${cause}`;
  return `The renewal is retried every hour. ${cause} If Co-Pilot works otherwise, connect again: it may reject the grant without saying so.`;
}
