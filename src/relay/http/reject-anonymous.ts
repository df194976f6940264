import type { IncomingMessage, Server } from 'node:http';
import { closeIfUnread } from './close-in-stages';
import { describeProblem, unauthorized } from './describe-problem';
import { interceptRequests } from './intercept-requests';

const PREFIX = '/api/';

/** The path of the login, which a daemon that does not lead passes on without a route of its own. */
export const LOGIN_PATH = '/api/v1/session';

const BODY = JSON.stringify(describeProblem(unauthorized()));
const HEADERS = {
  'content-type': 'application/problem+json; charset=utf-8',
  'content-length': Buffer.byteLength(BODY),
  'www-authenticate': 'Bearer realm="switchboard"',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/**
 * Answers requests of the API that have no credential at all, before the framework: a flood of them costs half as much,
 * and on a daemon that does not lead nothing is passed on. Call this after all request listeners have been added.
 * @param openPaths paths that need no credential
 * @param namesUser whether the headers of a request may name a user
 */
export function rejectAnonymous(
  server: Server,
  openPaths: ReadonlySet<string>,
  namesUser: (request: IncomingMessage) => boolean,
): void {
  interceptRequests(server, (request, response, next) => {
    const { url = '', headers } = request;
    const isAnonymous =
      url.startsWith(PREFIX) &&
      !openPaths.has(url.split('?', 1)[0]!) &&
      headers.authorization === undefined &&
      headers.cookie === undefined &&
      !namesUser(request);
    if (!isAnonymous) return next();
    closeIfUnread(request, response);
    response.writeHead(401, HEADERS).end(BODY);
  });
}
