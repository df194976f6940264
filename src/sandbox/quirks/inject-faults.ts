import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../protocol/endpoints';
import type { Parts } from '../parts';
import { Problem, sendProblem } from '../problem';
import type { Quirks } from './quirks';

/** Makes requests to the token endpoint and the API fail while their faults are on. The panel is never affected. */
export function injectFaults(app: FastifyInstance, { quirks, clock }: Parts): void {
  app.addHook('onRequest', (request, reply, next) => {
    if (isTokenRequest(request)) return failTokenRequest(reply, quirks, next);
    if (isApiRequest(request)) return failApiRequest(reply, quirks, next);
    next();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    if (isTokenRequest(request) && quirks.takeFault('token_lost')) return dropConnection(reply);
    if (!isApiRequest(request) || !quirks.takeFault('api_slow')) return done(null, payload);
    const cancelDelay = clock.after(quirks.current.slow_response_seconds * 1_000, () => done(null, payload));
    reply.raw.once('close', cancelDelay);
  });
}

const isTokenRequest = ({ method, url }: FastifyRequest): boolean =>
  method === 'POST' && url.split('?', 1)[0] === ENDPOINTS.token;

const isApiRequest = ({ url }: FastifyRequest): boolean => url.startsWith('/v1/');

function failTokenRequest(reply: FastifyReply, quirks: Quirks, next: () => void): void {
  switch (quirks.takeFirstFault(['token_reset', 'token_500', 'token_html'])) {
    case 'token_reset':
      return dropConnection(reply);
    case 'token_500':
      return void sendProblem(reply, FAILED);
    case 'token_html':
      return void reply.type('text/html; charset=utf-8').send('<!doctype html><title>Back soon</title>');
    case undefined:
      next();
  }
}

function failApiRequest(reply: FastifyReply, quirks: Quirks, next: () => void): void {
  switch (quirks.takeFirstFault(['api_401', 'api_403', 'api_429', 'api_500'])) {
    case 'api_401':
      reply.header('www-authenticate', 'Bearer realm="Co-Pilot", error="invalid_token"');
      return void sendProblem(reply, EXPIRED);
    case 'api_403':
      return void sendProblem(reply, FORBIDDEN);
    case 'api_429':
      reply.header('retry-after', quirks.current.retry_after_seconds);
      return void sendProblem(reply, TOO_MANY);
    case 'api_500':
      return void sendProblem(reply, FAILED);
    case undefined:
      next();
  }
}

function dropConnection(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.resetAndDestroy();
}

export const FAULT_DETAIL = 'This fault was turned on in the sandbox. Turn it off in the developer panel.';
const FAILED = new Problem(500, 'server_error', 'Internal server error', FAULT_DETAIL);
const EXPIRED = new Problem(401, 'invalid_token', 'Invalid access token', FAULT_DETAIL);
const FORBIDDEN = new Problem(403, 'forbidden', 'Forbidden', FAULT_DETAIL);
const TOO_MANY = new Problem(429, 'too_many_requests', 'Too many requests', FAULT_DETAIL);
