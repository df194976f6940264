import type { FastifyRequest } from 'fastify';

/** Whoever was let in. There is one role: an operator may see and do everything. */
export interface Operator {
  via: 'token' | 'session';
  /** What `onRevoked` names, so that whoever holds a connection open for a session can end it; null for a token. */
  sessionId: string | null;
  /** ms since 1970; null for a token, which does not expire. */
  expiresAt: number | null;
}

/** A request behind the guard. */
export type OperatorRequest = FastifyRequest & { operator: Operator };
