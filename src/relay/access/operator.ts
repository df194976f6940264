import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../contract/token';

/** Whoever was let in. */
export interface Operator {
  via: 'token' | 'session' | 'api_token';
  /**
   * What `onRevoked` names, so that whoever holds a connection open under it can end it: the session's or the API token's
   * id; null for the admin token.
   */
  credentialId: string | null;
  /** Of the API token. */
  name: string | null;
  scopes: readonly Scope[];
  /** ms since 1970; null for what does not expire. */
  expiresAt: number | null;
}

/** One credential is one caller, however many requests it makes; the admin token has no id. */
export const callerOf = ({ via, credentialId }: Operator): string => `${via} ${credentialId ?? ''}`;

/** A request that was admitted. */
export type OperatorRequest = FastifyRequest & { operator: Operator };
