import type { FastifyInstance, FastifyRequest } from 'fastify';
import { measureJson } from './measure-json';
import type { BodyRefusal, IncomingBodies } from './incoming-bodies';
import { RelayError } from '../ground/relay-error';

const DEEPEST = 32;
const MOST_VALUES = 20_000;

/**
 * Reads JSON, and nothing else: a body of another type is refused unread. It is read on the budget that all bodies share and
 * measured before it is parsed. An empty one is none, whatever its type is said to be: many clients name one with every request.
 */
export function readJsonBodies(fastify: FastifyInstance, bodies: IncomingBodies): void {
  // A name such as `constructor` harms nothing in data; only `__proto__`, which other code may assign, is refused.
  const parse = fastify.getDefaultJsonParser('error', 'ignore');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const limit = request.routeOptions.bodyLimit;
    const body = await bodies.read(request.raw, 'api', limit);
    if (typeof body === 'string') throw refusalOf(body, limit);
    if (body.length === 0) return undefined;
    const { depth, values } = measureJson(body);
    if (depth > DEEPEST) throw excessive(`is nested deeper than ${DEEPEST} levels`);
    if (values > MOST_VALUES) throw excessive(`holds more than ${MOST_VALUES} values and names`);
    return new Promise((resolve, reject) => {
      void parse(request, body.toString(), (error, value) =>
        error === null ? resolve(value) : reject(error),
      );
    });
  });
}

const excessive = (fault: string) =>
  new RelayError('invalid_request', 400, `The body ${fault}, which no request here needs.`);

function refusalOf(refusal: BodyRefusal, limit: number): RelayError {
  if (refusal === 'too_large')
    return new RelayError(
      'body_too_large',
      413,
      `The body is larger than the ${limit} bytes that this route takes.`,
    );
  if (refusal === 'overload')
    return new RelayError('overloaded', 503, 'Too many bodies came in at once, and this one took longest.', {
      remedy: 'Send it again.',
    });
  // Nobody is left to read this.
  return new RelayError('aborted', 400, 'The client went away before its body was here.');
}
