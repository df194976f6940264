export interface ConsentFailure {
  code: ConsentFailureCode;
  title: string;
  sentence: string;
  remedy: string;
}

const RETRY_REMEDY = 'Start again from Switchboard.';

const TEXTS = {
  callback_unreadable: {
    title: 'The response cannot be read',
    sentence: 'The callback URL lacks the state parameter, or contains a parameter twice.',
    remedy: RETRY_REMEDY,
  },
  state_unknown: {
    title: 'This authorization was not started in this browser',
    sentence:
      'The state in the URL belongs to no authorization that this browser started, or the browser has started another one since.',
    remedy: `${RETRY_REMEDY} If you did not start an authorization, close this page.`,
  },
  state_used: {
    title: 'This response was already used',
    sentence: 'Each authorization response can be used once; this page was probably reloaded.',
    remedy: 'Check the connection first: it may already be established. Otherwise start again.',
  },
  state_expired: {
    title: 'The authorization expired',
    sentence: 'More than 15 minutes have passed since it was started.',
    remedy: RETRY_REMEDY,
  },
  consent_denied: {
    title: 'Consent was denied',
    sentence: 'Access was denied on the Co-Pilot consent page.',
    remedy: 'Start again and allow access, or ask somebody who is permitted to.',
  },
  consent_failed: {
    title: 'Co-Pilot returned an error',
    sentence: 'Co-Pilot ended the authorization with an error.',
    remedy: 'Check the scopes and the redirect URI in the developer panel, then start again.',
  },
  code_missing: {
    title: 'The code is missing',
    sentence: 'Co-Pilot sent the browser back without an authorization code.',
    remedy: RETRY_REMEDY,
  },
  code_rejected: {
    title: 'Co-Pilot rejected the code',
    sentence: 'The authorization code was not accepted. Codes are short-lived and can be used once.',
    remedy: 'Start again. If it happens again, compare the redirect URI with the one in the developer panel.',
  },
  client_rejected: {
    title: 'Co-Pilot rejected this client',
    sentence: 'The Client ID or the Client Secret was not accepted.',
    remedy:
      'Compare COPILOT_CLIENT_ID and COPILOT_CLIENT_SECRET with the developer panel, restart Switchboard, then start again.',
  },
  tokens_missing: {
    title: 'Co-Pilot gave no tokens',
    sentence: 'The code could not be exchanged for tokens.',
    remedy: 'Start again. If it happens again, compare COPILOT_BASE_URL with the developer panel.',
  },
  copilot_unreachable: {
    title: 'Co-Pilot could not be reached',
    sentence: 'The code could not be exchanged for tokens.',
    remedy: 'Check the network and COPILOT_BASE_URL, then start again.',
  },
  exchange_interrupted: {
    title: 'The authorization was interrupted',
    sentence:
      'Switchboard stopped while the authorization was being completed, so the tokens were not received.',
    remedy: RETRY_REMEDY,
  },
  storage_failed: {
    title: 'Switchboard could not store the grant',
    sentence: 'Its database cannot be written at the moment.',
    remedy:
      'Free disk space, then check the connection: the grant is stored as soon as possible. If Switchboard is not connected then, start again.',
  },
} satisfies Record<string, Omit<ConsentFailure, 'code'>>;

/** Why an authorization failed. */
export type ConsentFailureCode = keyof typeof TEXTS;

/** `detail`: what Co-Pilot said, as a sentence without its full stop. */
export function consentFailure(code: ConsentFailureCode, detail?: string): ConsentFailure {
  const text = TEXTS[code];
  return { code, ...text, sentence: detail === undefined ? text.sentence : `${text.sentence} ${detail}.` };
}
