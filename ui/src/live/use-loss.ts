import { useQuery } from '@tanstack/react-query';
import { hasNoLeader } from '../api/api-error';
import { sessionQuery } from '../api/session';
import { useLiveState } from './live-context';

/** Why the page is not up to date; null while it is. The session is read at each attempt to connect again. */
export function useLoss(): 'no_leader' | 'no_connection' | null {
  const isLost = useLiveState() === 'lost';
  const { error } = useQuery(sessionQuery);
  if (!isLost) return null;
  return hasNoLeader(error) ? 'no_leader' : 'no_connection';
}
