import { queryOptions } from '@tanstack/react-query';
import type { Session, SessionOpened } from '@contract/session';
import { change, read } from './request';
import { sessionSecret } from './session-secret';

/** The current session; 401 if there is none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => read<Session>('/session'),
  staleTime: 60_000,
  retry: false,
});

/** Opens a session with the admin token. */
export async function openSession(token: string): Promise<Session> {
  const { secret, ...session } = await change<SessionOpened>('POST', '/session', { token });
  sessionSecret.save(secret);
  return session;
}

/** Ends the session and its sockets. */
export const closeSession = (): Promise<void> => change<void>('DELETE', '/session');
