import { queryOptions } from '@tanstack/react-query';
import type { Page } from '@contract/page';
import type { Scope, Token, TokenCreated } from '@contract/token';
import { change, read } from './request';

/** The largest page size of the API. */
const PAGE_SIZE = 200;

export interface TokenDraft {
  name: string;
  scopes: Scope[];
  /** Null if it does not expire. */
  expires_at: string | null;
}

/** The API tokens that are not revoked, newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => read<Page<Token>>('/tokens', { limit: PAGE_SIZE }),
  select: (page) => page.data,
});

/** Creates a token; only this response contains its secret. */
export const createToken = (draft: TokenDraft): Promise<TokenCreated> =>
  change<TokenCreated>('POST', '/tokens', draft);

/** Revokes a token. */
export const revokeToken = (id: string): Promise<void> =>
  change<void>('DELETE', `/tokens/${encodeURIComponent(id)}`);
