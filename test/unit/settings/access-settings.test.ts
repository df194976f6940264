import { readSettings, type Environment } from '../../../src/relay/settings/read-settings';
import { REQUIRED, errorsOf, read } from './required-settings';

it('headers that name users need each other and a trusted proxy', () => {
  const SWITCHBOARD_TRUSTED_PROXIES = '10.0.0.5/32';
  const [SWITCHBOARD_AUTH_USER_HEADER, SWITCHBOARD_AUTH_ROLE_HEADER] = ['Remote-User', 'Remote-Role'];
  const complete = {
    SWITCHBOARD_TRUSTED_PROXIES,
    SWITCHBOARD_AUTH_USER_HEADER,
    SWITCHBOARD_AUTH_ROLE_HEADER,
  };
  expect(read().userHeaders).toBeNull();
  expect(read(complete).userHeaders).toEqual({ user: 'remote-user', role: 'remote-role' });
  const errors = (changes: Environment) => errorsOf({ ...REQUIRED, ...complete, ...changes });
  expect(errors({ SWITCHBOARD_TRUSTED_PROXIES: undefined })).toEqual(['SWITCHBOARD_AUTH_USER_HEADER']);
  expect(errors({ SWITCHBOARD_AUTH_ROLE_HEADER: '' })).toEqual(['SWITCHBOARD_AUTH_ROLE_HEADER']);
  expect(errors({ SWITCHBOARD_AUTH_USER_HEADER: '' })).toEqual(['SWITCHBOARD_AUTH_USER_HEADER']);
  expect(errors({ SWITCHBOARD_AUTH_ROLE_HEADER: 'remote-USER' })).toEqual(['SWITCHBOARD_AUTH_ROLE_HEADER']);
  for (const name of ['Remote User', 'Cookie', 'Origin', 'X-Forwarded-For', 'x-switchboard-request'])
    expect(errors({ SWITCHBOARD_AUTH_USER_HEADER: name })).toEqual(['SWITCHBOARD_AUTH_USER_HEADER']);
});

it('groups of a proxy get the roles that the setting names, whatever their case; without it, each role is a group', () => {
  const users = {
    SWITCHBOARD_TRUSTED_PROXIES: '10.0.0.5/32',
    SWITCHBOARD_AUTH_USER_HEADER: 'Remote-User',
    SWITCHBOARD_AUTH_ROLE_HEADER: 'Remote-Groups',
  };
  const rolesOf = (SWITCHBOARD_AUTH_ROLES: string) =>
    Object.fromEntries(read({ ...users, SWITCHBOARD_AUTH_ROLES }).userRoles);
  expect(rolesOf('')).toEqual({ viewer: 'viewer', operator: 'operator', admin: 'admin' });
  expect(rolesOf('Admins=admin, on call = operator,cn=Dev=viewer')).toEqual({
    admins: 'admin',
    'on call': 'operator',
    'cn=dev': 'viewer',
  });
  for (const wrong of ['admins', 'admins=', '=admin', 'admins=root', 'admins=Admin', 'a=admin,A=viewer'])
    expect(errorsOf({ ...REQUIRED, ...users, SWITCHBOARD_AUTH_ROLES: wrong })).toEqual([
      'SWITCHBOARD_AUTH_ROLES',
    ]);
  expect(errorsOf({ ...REQUIRED, SWITCHBOARD_AUTH_ROLES: 'a=admin' })).toEqual([
    'SWITCHBOARD_AUTH_USER_HEADER',
  ]);
});

it('a header with a secret may be required with those that name users', () => {
  const users = {
    SWITCHBOARD_TRUSTED_PROXIES: '10.0.0.5/32',
    SWITCHBOARD_AUTH_USER_HEADER: 'Remote-User',
    SWITCHBOARD_AUTH_ROLE_HEADER: 'Remote-Role',
  };
  const SWITCHBOARD_AUTH_SECRET_HEADER = 'X-Proxy-Secret: 0123456789abcdef:=';
  expect(read(users).userSecret).toBeNull();
  expect(read({ ...users, SWITCHBOARD_AUTH_SECRET_HEADER }).userSecret).toEqual({
    name: 'x-proxy-secret',
    secret: '0123456789abcdef:=',
  });
  expect(errorsOf({ ...REQUIRED, SWITCHBOARD_AUTH_SECRET_HEADER })).toEqual(['SWITCHBOARD_AUTH_USER_HEADER']);
  for (const wrong of [
    'X-Proxy-Secret',
    'X-Proxy-Secret: short',
    'Cookie: 0123456789abcdef',
    ': 0123456789abcdef',
  ]) {
    const environment = { ...REQUIRED, ...users, SWITCHBOARD_AUTH_SECRET_HEADER: wrong };
    expect(errorsOf(environment)).toEqual(['SWITCHBOARD_AUTH_SECRET_HEADER']);
    expect(() => readSettings(environment)).not.toThrow(/0123456789abcdef/);
  }
});

it('a public URL with http is accepted only for loopback, so that no token is sent unencrypted', () => {
  for (const url of [
    'http://localhost:4000',
    'http://127.0.0.1',
    'http://[::1]:80',
    'http://a.localhost',
    'https://hub.example/base/',
  ]) {
    expect(read({ PUBLIC_URL: url }).publicUrl).toBe(url.replace(/\/$/, ''));
  }
  for (const url of [
    'http://hub.example',
    'http://127.0.0.1.example',
    'http://10.0.0.1',
    'ftp://localhost',
    'https://u:p@hub.example',
    'https://hub.example/?a=b',
  ]) {
    expect({ url, errors: errorsOf({ ...REQUIRED, PUBLIC_URL: url }) }).toEqual({
      url,
      errors: ['PUBLIC_URL'],
    });
  }
});
