import type { ApiAnswer } from '../connection/copilot-client';
import { readRefusal } from './read-refusal';

/** `waiting`: nothing was sent, as Co-Pilot asked to be left alone until then (ms since 1970). */
export type Answer = ApiAnswer | { kind: 'waiting'; until: number };

/** Why something could not be done at Co-Pilot: sentences for the operator. */
export interface Trouble {
  why: string;
  /** Null where it is tried again by itself and nothing else is to be done. */
  remedy: string | null;
}

const REMEDIES: Record<number, string> = {
  400: 'Check PUBLIC_URL, which Co-Pilot wants to be an https address, and COPILOT_EVENTS.',
  401: 'If it stays so, connect again.',
  403: 'Connect again and grant the scope webhooks. Where it is granted, look in the developer panel what the application may do, and how many webhooks it may have.',
  404: 'Check COPILOT_BASE_URL.',
  409: 'If Co-Pilot allows no more webhooks, delete one in the developer panel that is no longer needed.',
  422: 'Check PUBLIC_URL, which Co-Pilot wants to be an https address, and COPILOT_EVENTS. If Co-Pilot allows no more webhooks, delete one in the developer panel that is no longer needed.',
};

/**
 * An answer that did not bring what was asked for, in words. Error answers are not shown (document, 7): the status
 * decides, and what Co-Pilot says is quoted.
 * @param secrets what must not be shown, should Co-Pilot repeat it
 */
export function troubleOf(answer: Answer, what: string, secrets: readonly string[]): Trouble {
  if (answer.kind === 'no_token')
    return { why: `Nothing could be sent: ${answer.why}.`, remedy: 'Look at the connection.' };
  if (answer.kind === 'waiting') {
    const until = new Date(answer.until).toISOString();
    return { why: `Co-Pilot asked to be left alone until ${until}; it is tried again then.`, remedy: null };
  }
  if (answer.kind === 'unreachable')
    return {
      why: `Co-Pilot did not answer (${answer.reason}).`,
      remedy: 'If it stays so, check the network and COPILOT_BASE_URL.',
    };
  const { status, body } = answer;
  const said = readRefusal(body, secrets);
  const quoted = said === null ? '.' : `: ${said}`;
  if (status >= 300 && status < 400)
    return { why: `Co-Pilot answered ${status}, a redirect.`, remedy: 'Check COPILOT_BASE_URL.' };
  if (status === 429) return { why: `Co-Pilot asks for fewer requests (429)${quoted}`, remedy: null };
  if (status >= 400 && status < 500)
    return { why: `Co-Pilot refused ${what} with ${status}${quoted}`, remedy: REMEDIES[status] ?? null };
  return { why: `Co-Pilot answered ${status}${quoted}`, remedy: null };
}
