import type { Scope } from '@contract/token';

/** The role that includes a scope. */
export const ROLE_OF_SCOPE = { operate: 'operator', admin: 'admin' } as const;

/** The role of a user with these scopes. */
export function roleOf(scopes: readonly Scope[]): string {
  if (scopes.includes('admin')) return ROLE_OF_SCOPE.admin;
  return scopes.includes('operate') ? ROLE_OF_SCOPE.operate : 'viewer';
}
