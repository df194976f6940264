import { queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../src/contract/page';
import type { Scope, Token, TokenCreated } from '../../../src/contract/token';
import { change, read } from './request';

/** As many as there can be. */
const MOST_TOKENS = 200;

export interface TokenDraft {
  name: string;
  scopes: Scope[];
  /** Null: it does not expire. */
  expires_at: string | null;
}

/** The API tokens that are not revoked, newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => read<Page<Token>>('/tokens', { limit: MOST_TOKENS }),
  select: (page) => page.data,
});

/** Makes a token; the answer holds its secret, this once. */
export const createToken = (draft: TokenDraft): Promise<TokenCreated> =>
  change<TokenCreated>('POST', '/tokens', draft);

/** Ends a token for good. */
export const revokeToken = (id: string): Promise<void> =>
  change<void>('DELETE', `/tokens/${encodeURIComponent(id)}`);
