import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mayRound } from '../../contract/parse-long-numbers';
import { bodyText, parseExactJson } from '../ground/parse-body';
import { measureJson } from './measure-json';
import type { BodyFailure, IncomingBodies } from './incoming-bodies';
import { RelayError } from '../ground/relay-error';

const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;

/**
 * Accepts only JSON bodies; other content types are rejected unread. Bodies share a memory budget and are measured
 * before they are parsed. An empty body counts as none: many clients always send a content type.
 */
export function readJsonBodies(fastify: FastifyInstance, bodies: IncomingBodies): void {
  // Rejects `__proto__`, which other code might assign; names such as `constructor` are harmless in data.
  const parse = fastify.getDefaultJsonParser('error', 'ignore');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const limit = request.routeOptions.bodyLimit;
    const body = await bodies.read(request.raw, 'api', limit);
    if (typeof body === 'string') throw errorOf(body, limit);
    if (body.length === 0) return undefined;
    const { depth, values } = measureJson(body);
    if (depth > MAX_DEPTH) throw bodyTooComplex(`is nested deeper than ${MAX_DEPTH} levels`);
    if (values > MAX_VALUES) throw bodyTooComplex(`holds more than ${MAX_VALUES} values and names`);
    return new Promise((resolve, reject) => {
      const text = bodyText(body);
      void parse(request, text, (error, value) =>
        error === null ? resolve(mayRound(text) ? parseExactJson(text) : value) : reject(error),
      );
    });
  });
}

const bodyTooComplex = (problem: string) =>
  new RelayError('invalid_request', 400, `The body ${problem}, more than any request needs.`);

function errorOf(failure: BodyFailure, limit: number): RelayError {
  if (failure === 'aborted')
    return new RelayError('aborted', 400, 'The client disconnected before the body was complete.');
  if (failure === 'too_large') {
    const detail = `The body is larger than ${limit} bytes, the limit of this route.`;
    return new RelayError('body_too_large', 413, detail);
  }
  const detail = 'Too many request bodies were being received, and this one was the oldest.';
  return new RelayError('overloaded', 503, detail, { remedy: 'Send the request again.' });
}
