import type { Connection, ConnectionState } from '../../contract/connection';
import type { CopilotSettings } from '../settings/settings';
import type { FailedConsent } from './authorization-flow';
import { describeMissingScopes } from './describe-missing-scopes';
import { renewalDueAt, type Grant } from './grant';

interface ConnectionFacts {
  grant: Grant | null;
  /** A renewal is under way at this moment. */
  renewing: boolean;
  /** How the last consent failed, if it did. */
  failed: FailedConsent | null;
  /** What the wall clock shows at a time of the grant. */
  shown: (at: number) => number;
}

/** The connection in plain words. */
export function describeConnection(facts: ConnectionFacts, copilot: CopilotSettings): Connection {
  const { grant, failed, shown } = facts;
  const instantOf = (at: number | undefined) => (at === undefined ? null : new Date(shown(at)).toISOString());
  const granted = [...(grant?.scopes ?? [])];
  const missing = grant === null ? [] : copilot.scopes.filter((scope) => !granted.includes(scope));
  const due = grant === null ? null : renewalDueAt(grant);
  const state = stateOf(facts);
  return {
    state,
    ...words(state, facts, missing, copilot),
    base_url: copilot.baseUrl,
    client_id: copilot.clientId,
    scopes_needed: copilot.scopes,
    scopes_granted: granted,
    scopes_missing: missing,
    connected_at: instantOf(grant?.connectedAt),
    renewed_at: grant === null || grant.issuedAt === grant.connectedAt ? null : instantOf(grant.issuedAt),
    expires_at: instantOf(grant?.expiresAt),
    renews_at:
      grant === null || grant.refreshToken === null || due === null || due === 0 ? null : instantOf(due),
    consent_failure:
      failed === null
        ? null
        : {
            at: new Date(failed.at).toISOString(),
            code: failed.code,
            sentence: failed.sentence,
            remedy: failed.remedy,
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

/** By then it has been tried for more than an hour. */
const MANY_FAILURES = 10;

type Words = Pick<Connection, 'sentence' | 'remedy'>;

const WORDS: Record<ConnectionState, Words> = {
  not_connected: {
    sentence: 'Switchboard is not connected to Co-Pilot.',
    remedy: 'Connect, and give consent at Co-Pilot.',
  },
  connected: { sentence: 'The grant at Co-Pilot is valid and renews itself.', remedy: null },
  renewing: { sentence: 'A new access token is being fetched from Co-Pilot.', remedy: null },
  renewal_interrupted: {
    sentence: 'Switchboard ended while a renewal was under way, so its outcome is unknown.',
    remedy: 'It is tried again by itself; if Co-Pilot then refuses the grant, connect again.',
  },
  client_refused: {
    sentence: 'Co-Pilot refuses our client id or client secret; the grant itself is kept.',
    remedy:
      'Compare COPILOT_CLIENT_ID and COPILOT_CLIENT_SECRET with the developer panel, set them right and start again.',
  },
  consent_needed: {
    sentence: 'Co-Pilot no longer accepts the grant.',
    remedy: 'Connect again and give consent at Co-Pilot.',
  },
  unreachable: {
    sentence: 'The access token could not be renewed.',
    remedy: 'It is tried again by itself; check the network, and whether COPILOT_BASE_URL is right.',
  },
};

/** Behind the sentence of the state: what the last renewal or consent failed of, and what the missing scopes mean. */
function words(
  state: ConnectionState,
  { grant, failed }: ConnectionFacts,
  missing: string[],
  { events }: CopilotSettings,
): Words {
  const { sentence } = WORDS[state];
  const remedy = remedyOf(state, grant);
  const wantsConsent = state === 'not_connected' || state === 'consent_needed';
  const sentences = [sentence];
  if (grant !== null && grant.problem !== null) sentences.push(`${grant.problem}.`);
  if (grant !== null && grant.unusedSince !== null) sentences.push(unusedSentence(grant.unusedSince));
  if (wantsConsent && failed !== null) {
    return { sentence: [...sentences, failed.sentence].join(' '), remedy: failed.remedy };
  }
  if (wantsConsent || missing.length === 0) return { sentence: sentences.join(' '), remedy };
  const scopes = describeMissingScopes(missing, events);
  return { sentence: [...sentences, scopes.sentence].join(' '), remedy: remedy ?? scopes.remedy };
}

function unusedSentence(since: number): string {
  return `Its renewal came due while this database was not in use, which it last was at ${new Date(since).toISOString()}: if it was restored from a backup, Co-Pilot may refuse its refresh token and want a new consent.`;
}

function remedyOf(state: ConnectionState, grant: Grant | null): string | null {
  if (state !== 'unreachable' || (grant?.failures ?? 0) < MANY_FAILURES) return WORDS[state].remedy;
  return 'It is tried again by itself, every hour. Check the network and COPILOT_BASE_URL; if Co-Pilot works otherwise, connect again: it may no longer accept the grant, and not say so.';
}
