import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../src/contract/session';
import { change, read } from './request';

/** Who is looking; a 401 means: sign in first. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => read<Session>('/session'),
  staleTime: 60_000,
  retry: false,
});

/** Opens a session with the admin token. */
export const openSession = (token: string): Promise<Session> =>
  change<Session>('POST', '/session', { token });

/** Ends the session, here and for its sockets. */
export const closeSession = (): Promise<void> => change<void>('DELETE', '/session');
