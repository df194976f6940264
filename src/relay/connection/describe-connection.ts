import type { Connection, ConnectionState } from '../../contract/connection';
import type { CopilotSettings } from '../settings/settings';
import { renewalDueAt, type Grant } from './grant';

/** The connection in plain words. `renewing`: a renewal is under way at this moment. */
export function describeConnection(
  grant: Grant | null,
  renewing: boolean,
  copilot: CopilotSettings,
): Connection {
  const state = stateOf(grant, renewing);
  const granted = [...(grant?.scopes ?? [])];
  const missing = grant === null ? [] : copilot.scopes.filter((scope) => !granted.includes(scope));
  const due = grant === null ? null : renewalDueAt(grant);
  return {
    state,
    ...words(state, grant?.problem ?? null, missing),
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
  };
}

function stateOf(grant: Grant | null, renewing: boolean): ConnectionState {
  if (grant === null) return 'not_connected';
  if (renewing) return 'renewing';
  if (grant.state !== 'valid') return grant.state;
  if (grant.interruptedAt !== null) return 'renewal_interrupted';
  return grant.failures > 0 ? 'unreachable' : 'connected';
}

type Words = Pick<Connection, 'sentence' | 'remedy'>;

/** The problem is what the last renewal failed of; it is put behind the sentence. */
const WORDS: Record<ConnectionState, Words> = {
  not_connected: {
    sentence: 'Nobody has given consent at Co-Pilot yet.',
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

function words(state: ConnectionState, problem: string | null, missing: string[]): Words {
  if (state === 'connected' && missing.length > 0) {
    return {
      sentence: `Co-Pilot granted fewer scopes than were asked for; without ${missing.join(', ')} what belongs to them may not arrive.`,
      remedy: 'Connect again and grant every scope, or take the events concerned out of COPILOT_EVENTS.',
    };
  }
  const { sentence, remedy } = WORDS[state];
  return { sentence: problem === null ? sentence : `${sentence} ${problem}.`, remedy };
}

function instantOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
