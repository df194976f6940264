/** Why a consent did not lead to a connection. */
const CONSENT_FAILURES = [
  'callback_unreadable',
  'state_unknown',
  'state_used',
  'state_expired',
  'consent_denied',
  'consent_failed',
  'code_missing',
  'code_refused',
  'client_refused',
  'copilot_unreachable',
  'exchange_interrupted',
  'storage_failed',
] as const;
export type ConsentFailureCode = (typeof CONSENT_FAILURES)[number];

export interface ConsentFailure {
  code: ConsentFailureCode;
  title: string;
  sentence: string;
  remedy: string;
}

const START_AGAIN = 'Start again from Switchboard.';

const TEXTS: Record<ConsentFailureCode, Omit<ConsentFailure, 'code'>> = {
  callback_unreadable: {
    title: 'This answer cannot be read',
    sentence: 'The address lacks the state that Co-Pilot has to return, or names something twice.',
    remedy: START_AGAIN,
  },
  state_unknown: {
    title: 'This consent was not begun in this browser',
    sentence:
      'Switchboard knows of no consent with the state in the address that this browser began, or it began another one since.',
    remedy: `${START_AGAIN} If you did not begin a consent, close this page.`,
  },
  state_used: {
    title: 'This answer was used already',
    sentence: 'Each consent is good for one answer; this page was probably loaded a second time.',
    remedy: 'Look at the connection first: it may well stand. Otherwise start again.',
  },
  state_expired: {
    title: 'This consent took too long',
    sentence: 'More than 15 minutes have passed since it was begun.',
    remedy: START_AGAIN,
  },
  consent_denied: {
    title: 'Consent was denied',
    sentence: 'Access was denied on the consent page of Co-Pilot, so nothing was connected.',
    remedy: 'Start again and allow the access, or ask somebody who may.',
  },
  consent_failed: {
    title: 'Co-Pilot gave no consent',
    sentence: 'Co-Pilot ended the consent with an error.',
    remedy: 'Check the scopes and the redirect URI at the developer panel, then start again.',
  },
  code_missing: {
    title: 'The code is missing',
    sentence: 'Co-Pilot sent the browser back without an authorization code.',
    remedy: START_AGAIN,
  },
  code_refused: {
    title: 'Co-Pilot refused the code',
    sentence: 'The authorization code was not accepted; codes live shortly and are good for one use.',
    remedy: 'Start again. If it happens again, compare the redirect URI with the one at the developer panel.',
  },
  client_refused: {
    title: 'Co-Pilot refused this client',
    sentence: 'The Client ID or the Client Secret was not accepted.',
    remedy:
      'Compare COPILOT_CLIENT_ID and COPILOT_CLIENT_SECRET with the developer panel, restart Switchboard, then start again.',
  },
  copilot_unreachable: {
    title: 'Co-Pilot could not be reached',
    sentence: 'The code could not be exchanged for tokens.',
    remedy: 'Check the network and COPILOT_BASE_URL, then start again.',
  },
  exchange_interrupted: {
    title: 'The consent was interrupted',
    sentence:
      'Switchboard ended while a consent was being completed, so what Co-Pilot granted did not arrive.',
    remedy: START_AGAIN,
  },
  storage_failed: {
    title: 'Switchboard could not store the consent',
    sentence: 'Nothing can be written to its database at this moment.',
    remedy:
      'Make room on the disk, then look at the connection: what Co-Pilot has granted is stored as soon as that is possible. Where it does not stand, start again.',
  },
};

/** `detail`: what Co-Pilot said about it, as a sentence without its full stop. */
export function consentFailure(code: ConsentFailureCode, detail?: string): ConsentFailure {
  const text = TEXTS[code];
  return { code, ...text, sentence: detail === undefined ? text.sentence : `${text.sentence} ${detail}.` };
}
