import { scope, type Scope } from '../../contract/token';

/** What the admin token and a browser's session have. */
export const ALL_SCOPES: readonly Scope[] = scope.options;

/** What the live socket asks for: either will do. */
export const SOCKET_SCOPES: readonly Scope[] = ['read', 'listen'];

/** Whether one of `wanted` is among what was granted: `admin` holds all of them, `operate` holds `read`. */
export function allows(granted: readonly Scope[], wanted: readonly Scope[]): boolean {
  if (granted.includes('admin')) return true;
  return wanted.some((one) => granted.includes(one) || (one === 'read' && granted.includes('operate')));
}
