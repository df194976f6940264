/** What a user may be, lowest first. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Each role by its own name. */
export const ROLES_BY_NAME: ReadonlyMap<string, Role> = new Map(ROLES.map((role) => [role, role]));

/** Groups that differ only in the case of ASCII letters are the same; other letters have more than two forms. */
export const sameCase = (group: string): string => group.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
