import { scope, type Scope } from '../../contract/token';

/** The scopes of the admin token and of sessions. */
export const ALL_SCOPES: readonly Scope[] = scope.options;

/** What a user may do, by the role that the proxy sends. */
export const SCOPES_OF_ROLE = {
  viewer: ['read'],
  operator: ['read', 'operate'],
  admin: ALL_SCOPES,
} as const satisfies Record<string, readonly Scope[]>;

type Role = keyof typeof SCOPES_OF_ROLE;

export const isRole = (text: string): text is Role => Object.hasOwn(SCOPES_OF_ROLE, text);

/** The live socket requires one of these. */
export const SOCKET_SCOPES: readonly Scope[] = ['read', 'listen'];

/** Whether one of `required` is granted: `admin` includes all scopes, `operate` includes `read`. */
export function allows(granted: readonly Scope[], required: readonly Scope[]): boolean {
  if (granted.includes('admin')) return true;
  return required.some((one) => granted.includes(one) || (one === 'read' && granted.includes('operate')));
}
