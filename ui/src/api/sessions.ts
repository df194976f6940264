import { queryOptions } from '@tanstack/react-query';
import type { Page } from '@contract/page';
import type { OpenSession } from '@contract/session';
import { change, read } from './request';

/** The largest page size of the API. */
const PAGE_SIZE = 200;

/** The open dashboard sessions, newest first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => read<Page<OpenSession>>('/sessions', { limit: PAGE_SIZE }),
  select: (page) => page.data,
});

/** Ends one session. */
export const revokeSession = (id: string): Promise<void> =>
  change<void>('DELETE', `/sessions/${encodeURIComponent(id)}`);

/** Ends all sessions, including the current one. */
export const revokeAllSessions = (): Promise<void> => change<void>('DELETE', '/sessions');
