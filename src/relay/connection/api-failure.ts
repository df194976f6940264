import { toIso } from '../ground/iso-time';
import { reachRemedy } from '../ground/machine-faults';
import type { ApiResponse } from './copilot-client';
import { TOO_LARGE } from './upstream-http';
import { readMessage } from './read-message';

/** `waiting`: nothing was sent, because Co-Pilot asked for no requests before `until` (ms since 1970). */
export type ApiResult = ApiResponse | { kind: 'waiting'; until: number };

/** Why a request to Co-Pilot failed, as sentences for the operator. */
export interface ApiFailure {
  reason: string;
  /** Null if it is retried automatically and nothing else needs to be done. */
  remedy: string | null;
}

/**
 * Describes an unsuccessful response. The document shows no error responses (7): the status decides, and Co-Pilot's
 * message is quoted.
 * @param request what was sent, such as `the update`
 * @param remedies by status
 * @param secrets values to mask in case Co-Pilot repeats them
 */
export function describeFailure(
  result: ApiResult,
  request: string,
  remedies: Readonly<Record<number, string>>,
  secrets: readonly string[] = [],
): ApiFailure {
  if (result.kind === 'no_token')
    return failure(`Co-Pilot was not asked: ${result.why}.`, 'Reconnect first.');
  if (result.kind === 'waiting')
    return failure(
      `Co-Pilot asked for no requests until ${toIso(result.until)}; the request is retried then.`,
    );
  if (result.kind === 'unreachable') {
    if (result.reason === TOO_LARGE) return failure("Co-Pilot's response is larger than this hub accepts.");
    const remedy = `If this persists: ${reachRemedy(result.reason)}`;
    return failure(`Co-Pilot did not respond (${result.reason}).`, remedy);
  }
  const { status, body } = result;
  const message = readMessage(body, secrets);
  const quoted = message === null ? '.' : `: ${message}`;
  if (status >= 300 && status < 400)
    return failure(`Co-Pilot responded with ${status}, a redirect.`, 'Check COPILOT_BASE_URL.');
  if (status === 429) return failure(`Co-Pilot limits the request rate (429)${quoted}`);
  if (status >= 400 && status < 500)
    return failure(`Co-Pilot rejected ${request} with ${status}${quoted}`, remedies[status]);
  return failure(`Co-Pilot responded with ${status}${quoted}`);
}

const failure = (reason: string, remedy: string | null = null): ApiFailure => ({ reason, remedy });
