import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Scope } from '../../protocol/scopes';
import type { Grant, Grants } from '../oauth/grants';
import { Problem, sendProblem } from '../problem';

declare module 'fastify' {
  interface FastifyRequest {
    /** The grant of the access token; set by `requireScope`. */
    grant: Grant;
  }
}

/**
 * Requires a valid access token (document, 5.3) whose grant has the scope. The document does not show which scope an
 * endpoint requires (5.5); in the sandbox it is the one named after the resource. Challenges follow RFC 6750, 3.
 */
export function requireScope(grants: Grants, scope: Scope): onRequestHookHandler {
  return (request, reply, next) => {
    const token = bearerToken(request);
    if (!token) return challenge(reply, '', MISSING);
    const grant = grants.findByAccessToken(token);
    if (!grant) return challenge(reply, ', error="invalid_token"', INVALID);
    if (!grant.scopes.includes(scope)) {
      return challenge(reply, `, error="insufficient_scope", scope="${scope}"`, insufficient(scope));
    }
    request.grant = grant;
    next();
  };
}

function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function challenge(reply: FastifyReply, parameters: string, problem: Problem): void {
  void sendProblem(reply.header('www-authenticate', `Bearer realm="Co-Pilot"${parameters}`), problem);
}

const MISSING = new Problem(
  401,
  'unauthorized',
  'Access token missing',
  'The request has no access token. Send the header: Authorization: Bearer <access token>.',
);

const INVALID = new Problem(
  401,
  'invalid_token',
  'Invalid access token',
  'The access token is unknown, expired or revoked. Renew it with the refresh token, or authorize again.',
);

function insufficient(scope: Scope): Problem {
  return new Problem(
    403,
    'insufficient_scope',
    'Insufficient scope',
    `The access token does not have the scope ${scope}. Authorize again and request it.`,
  );
}
