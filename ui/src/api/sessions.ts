import { queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../src/contract/page';
import type { OpenSession } from '../../../src/contract/session';
import { change, read } from './request';

/** The largest page size of the API. */
const MOST_SESSIONS = 200;

/** The browsers that are logged in, newest first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => read<Page<OpenSession>>('/sessions', { limit: MOST_SESSIONS }),
  select: (page) => page.data,
});

/** Signs one browser out. */
export const revokeSession = (id: string): Promise<void> =>
  change<void>('DELETE', `/sessions/${encodeURIComponent(id)}`);

/** Signs out every browser, this one too. */
export const revokeAllSessions = (): Promise<void> => change<void>('DELETE', '/sessions');
