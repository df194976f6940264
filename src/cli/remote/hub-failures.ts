import type { Problem } from '../../contract/problem';
import { VERSION_HEADER } from '../../contract/constants';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { REMEDIES } from './remedies';

const UNREACHABLE = 'hub_unreachable';
/** Node's codes for certificates. */
const UNTRUSTED = /^(CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_TLS)/;

/** No answer, or one that says to come back later. */
export class NotNow extends CommandFailed {
  /** Whether the hub certainly did nothing, so that a change may be sent again as well. */
  isRefused = false;
  /** Whether it is worth asking again soon. */
  isBrief = true;
  /** How long the hub wants to be left alone. */
  afterMs = 0;
}

/** Whether nothing answers, in contrast to an answer that is a problem. */
export const isUnreachable = (error: unknown): error is NotNow =>
  error instanceof NotNow && error.code === UNREACHABLE;

/** Whether the token may not do it. */
export const isScopeMissing = (error: unknown): error is CommandFailed =>
  error instanceof CommandFailed && error.code === 'scope_missing';

/** @param error of `fetch`, or of reading its response */
export function unreachable(url: string, error: unknown): NotNow {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const isTimeout = (error as Error).name === 'TimeoutError';
  const why = isTimeout
    ? 'it did not answer in time'
    : (cause?.code ?? cause?.message ?? 'the connection failed');
  const failure = new NotNow(
    EXIT.unavailable,
    `No hub answers at ${url}: ${why}.`,
    UNTRUSTED.test(why)
      ? 'Name the certificates that sign that of the hub with "switchboard login --ca-file".'
      : 'Check the address, and that the hub is running.',
    UNREACHABLE,
  );
  failure.isRefused = cause?.code === 'ECONNREFUSED';
  failure.isBrief = failure.isRefused;
  return failure;
}

/** Why a response is not the answer. @param text its body @param version of this program */
export function failureOf(
  { status, headers }: Response,
  text: string,
  { url, version }: { url: string; version: string },
): CommandFailed {
  const location = headers.get('location');
  if (status >= 300 && status < 400)
    return unsupported(
      `${url} redirects${location === null ? '' : ` to ${originOf(location, url)}`}, and redirects are not followed.`,
      'Give the address of the hub itself.',
    );
  const problem = parseProblem(text);
  if (problem === null && status >= 502 && status <= 504)
    return Object.assign(unreachable(url, { cause: { message: `a proxy answers with ${status}` } }), {
      isBrief: true,
    });
  if (problem === null) return notAHub(url, headers);
  const { code, detail, remedy: written = '', errors = [], ...others } = problem;
  const known = [code, ...errors.map(({ path }) => path)].map((name) => REMEDIES[name]);
  const remedy = known.find((one) => one !== undefined) ?? written;
  const faults = errors.map(({ path, message }) => `${path && `${path}: `}${message.replace(/\.$/, '')}.`);
  const sentence = [detail, ...faults].join(' ');
  const as = (exitCode: number, what: string) =>
    new CommandFailed(exitCode, sentence, what, code, { ...others, ...(errors.length > 0 && { errors }) });
  // This program names only what a hub of its version has, except in what its user has written.
  const found = headers.get(VERSION_HEADER);
  const isUnknown =
    (status === 404 && code === 'not_found') ||
    code === 'method_not_allowed' ||
    errors.some(
      ({ path, message }) =>
        message.startsWith('This route accepts no such name') ||
        (path === '' && message.startsWith('Unknown: ') && found !== version),
    );
  if (isUnknown) return tooOld(url, found, version);
  if (status === 401)
    return as(EXIT.noAccess, 'Log in with "switchboard login", with a token that is valid.');
  if (status === 403 && (code === 'scope_missing' || code === 'payload_masked'))
    return as(EXIT.noAccess, remedy);
  if (status === 410) return as(EXIT.gone, remedy);
  if (status !== 429 && status !== 503) return as(EXIT.failed, remedy);
  const later = new NotNow(status === 429 ? EXIT.failed : EXIT.unavailable, sentence, remedy, code, others);
  later.afterMs = 1_000 * (Number(headers.get('retry-after')) || 0);
  return later;
}

/** @param found the version of the hub; null if it is so old that it does not say */
const tooOld = (url: string, found: string | null, version: string): CommandFailed =>
  unsupported(
    `The hub at ${url} has ${found === null ? 'an earlier version' : `version ${found}`}, which cannot do this; this program has version ${version}.`,
    'Upgrade the hub, or use a program of its version.',
  );

export function notAHub(url: string, headers: Headers): CommandFailed {
  return headers.get('content-type')?.startsWith('text/html')
    ? unsupported(
        `${url} answers with a page, such as the login page of a proxy.`,
        'Let requests with a bearer token pass to /api and /socket.io.',
      )
    : unsupported(`What answers at ${url} is not a Switchboard hub.`, 'Check the address.');
}

const unsupported = (what: string, remedy: string) =>
  new CommandFailed(EXIT.unsupported, what, remedy, 'hub_unsupported');

const originOf = (location: string, base: string) =>
  URL.canParse(location, base) ? new URL(location, base).origin : 'another address';

function parseProblem(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Problem | null;
    return typeof problem?.code === 'string' && typeof problem.detail === 'string' ? problem : null;
  } catch {
    return null;
  }
}
