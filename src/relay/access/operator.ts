import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../contract/token';
import type { PayloadMask } from '../filters/payload-mask';

/** An authenticated caller. */
export interface Operator {
  /** `token` is the admin token. */
  via: 'token' | 'session' | 'api_token' | 'user';
  /**
   * The id of the session or API token, as passed to `onRevoked` listeners; `user:` and the name of a user; null for
   * the admin token.
   */
  credentialId: string | null;
  /** The name of the API token or user; null for a session or the admin token. */
  name: string | null;
  scopes: readonly Scope[];
  /** In ms since 1970; null if it does not expire. */
  expiresAt: number | null;
  /** What is masked for the caller; null: nothing. */
  mask: PayloadMask | null;
}

/** Identifies a caller by credential, for limits; the admin token has no id. */
export const callerOf = ({ via, credentialId }: Operator): string => `${via} ${credentialId ?? ''}`;

export type OperatorRequest = FastifyRequest & { operator: Operator };
