import { scope, type Scope } from '../../contract/token';

/** The scopes of the admin token and of sessions. */
export const ALL_SCOPES: readonly Scope[] = scope.options;

/** The live socket requires one of these. */
export const SOCKET_SCOPES: readonly Scope[] = ['read', 'listen'];

/** Whether one of `required` is granted: `admin` includes all scopes, `operate` includes `read`. */
export function allows(granted: readonly Scope[], required: readonly Scope[]): boolean {
  if (granted.includes('admin')) return true;
  return required.some((one) => granted.includes(one) || (one === 'read' && granted.includes('operate')));
}
