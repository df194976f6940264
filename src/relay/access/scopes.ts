import { scope, type Scope } from '../../contract/token';
import type { Role } from '../settings/roles';

/** The scopes of the admin token and of sessions. */
export const ALL_SCOPES: readonly Scope[] = scope.options;

/** What a user may do, by the role that the groups of the proxy grant. */
export const SCOPES_OF_ROLE: Record<Role, readonly Scope[]> = {
  viewer: ['read'],
  operator: ['read', 'operate'],
  admin: ALL_SCOPES,
};

/** The live socket requires one of these. */
export const SOCKET_SCOPES: readonly Scope[] = ['read', 'listen'];

/** What may open a socket; what may join a namespace is checked then. */
export const HANDSHAKE_SCOPES: readonly Scope[] = [...SOCKET_SCOPES, 'receive'];

/** `reveal` too, because `operate` can send any event to itself. */
const INCLUDED_IN_OPERATE: readonly Scope[] = ['read', 'reveal', 'receive'];

/** Whether one of `required` is granted: `admin` includes all scopes, `operate` those of {@link INCLUDED_IN_OPERATE}. */
export function allows(granted: readonly Scope[], required: readonly Scope[]): boolean {
  if (granted.includes('admin')) return true;
  return required.some(
    (one) => granted.includes(one) || (granted.includes('operate') && INCLUDED_IN_OPERATE.includes(one)),
  );
}
