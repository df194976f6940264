import { useQuery } from '@tanstack/react-query';
import type { Scope } from '@contract/token';
import { sessionQuery } from '../api/session';
import { roleOf, ROLE_OF_SCOPE } from '../labels/role-labels';

/** A scope that not every user has. */
export type NeededScope = keyof typeof ROLE_OF_SCOPE;

/**
 * Why the user may not do what needs this scope; null if it is permitted, or not known yet.
 * @param what begins the sentence, if it is not about a button beside it
 */
export function useDenial(needs: NeededScope, what?: string): string | null {
  const { data: session } = useQuery(sessionQuery);
  if (session === undefined || permits(session.scopes, needs)) return null;
  const requires = what === undefined ? 'Requires' : `${what} requires`;
  return `${requires} the ${ROLE_OF_SCOPE[needs]} role. Your role is ${roleOf(session.scopes)}.`;
}

const permits = (scopes: readonly Scope[], needs: NeededScope): boolean =>
  scopes.includes('admin') || scopes.includes(needs);
