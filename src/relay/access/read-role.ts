import { ROLES, sameCase, type Role } from '../settings/roles';

/**
 * The highest role of the groups in a header of a proxy: one name, several that are separated by `,`, `;` or `|`, or
 * a JSON array. Spaces are part of a name: in "former admins" there is no group "admins".
 * @param header without white space at its ends
 * @param roles by group, in the form of `sameCase`
 * @returns null if none of the groups has a role
 */
export function readRole(header: string, roles: ReadonlyMap<string, Role>): Role | null {
  const granted = new Set(groupsIn(header).map((group) => roles.get(sameCase(group))));
  return ROLES.findLast((role) => granted.has(role)) ?? null;
}

function groupsIn(header: string): string[] {
  if (!header.startsWith('[')) return header.split(/[ \t]*[,;|][ \t]*/);
  try {
    const groups = JSON.parse(header) as unknown[];
    return groups.filter((group) => typeof group === 'string');
  } catch {
    return [];
  }
}
