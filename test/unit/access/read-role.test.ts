import { readRole } from '../../../src/relay/access/read-role';
import { ROLES_BY_NAME, type Role } from '../../../src/relay/settings/roles';

const GROUPS = new Map<string, Role>([
  ['admins', 'admin'],
  ['dev', 'operator'],
  ['on call', 'operator'],
  ['everyone', 'viewer'],
  ['b\u00fcro', 'viewer'],
]);

describe('the role of a user', () => {
  it.each([
    ['dev', 'operator'],
    ['Dev', 'operator'],
    ['everyone,dev', 'operator'],
    ['everyone, admins , dev', 'admin'],
    ['everyone|on call|others', 'operator'],
    ['others;everyone', 'viewer'],
    ['["others","admins"]', 'admin'],
    ['["on call"]', 'operator'],
    ['b\u00fcro', 'viewer'],
  ])('is the highest one of the groups in %s', (header, role) => {
    expect(readRole(header, GROUPS)).toBe(role);
  });

  it.each([
    '',
    ',',
    'others',
    // The name of a role is no group, once groups are named.
    'admin',
    'former admins',
    'admins-readonly',
    'not,an admins',
    '["former admins"]',
    '[["admins"]]',
    '[{"name":"admins"}]',
    '["admins"',
    '"admins"',
    '[null, 1]',
    'toString',
    // White space that HTTP does not know.
    'admins\u00a0',
    'others,\u00a0admins',
    // Not an ASCII letter, although its lower case is one.
    'adm\u0130ns',
    'B\u00dcRO',
  ])('is none with %j', (header) => {
    expect(readRole(header, GROUPS)).toBeNull();
  });

  it('is what the header names if no groups are configured', () => {
    const roles = ['viewer', 'operator,dev', 'Admin', 'root', 'viewer|admin'].map((header) =>
      readRole(header, ROLES_BY_NAME),
    );
    expect(roles).toEqual(['viewer', 'operator', 'admin', null, 'admin']);
  });
});
