import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { StartupError } from '../../../src/relay/ground/relay-error';
import { readSettings, type Environment } from '../../../src/relay/settings/read-settings';

const NEEDED = {
  COPILOT_BASE_URL: 'https://copilot.example/api/',
  COPILOT_CLIENT_ID: 'client',
  COPILOT_CLIENT_SECRET: 'client-secret',
};

const read = (environment: Environment = {}) => readSettings({ ...NEEDED, ...environment });

function faultsOf(environment: Environment): string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    for (const { what, remedy } of error.faults) {
      expect(what).toMatch(/\.$/);
      expect(remedy).not.toBe('');
    }
    return error.faults.map(({ where }) => where);
  }
  return [];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

it('what is not given is as the contract says', () => {
  expect(read({ DATA_DIR: '/var/lib/hub' })).toMatchObject({
    host: '127.0.0.1',
    port: 4000,
    publicUrl: null,
    databaseFile: '/var/lib/hub/switchboard.db',
    logLevel: 'info',
    copilot: {
      baseUrl: 'https://copilot.example/api',
      scopes: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      signatureHeader: null,
    },
    secretKey: null,
    adminToken: null,
    retentionDays: 30,
    deadLetterDays: 90,
    retentionBytes: 0,
    targets: [],
    bodyLimitBytes: 8_388_608,
    targetAllow: ['0.0.0.0/0', '::/0'],
  });
  expect(read().copilot.events).toHaveLength(10);
});

it('where targets may lie by default depends on who reaches the daemon', () => {
  for (const HOST of ['127.0.0.1', '::1', 'localhost'])
    expect(read({ HOST }).targetAllow).toEqual(['0.0.0.0/0', '::/0']);
  for (const HOST of ['0.0.0.0', '::', '10.0.0.5', 'hub.example'])
    expect(read({ HOST }).targetAllow).toEqual(['public']);
  const given = 'public, private,10.0.0.0/8';
  expect(read({ SWITCHBOARD_TARGET_ALLOW: given }).targetAllow).toEqual(['public', 'private', '10.0.0.0/8']);
  expect(faultsOf({ ...NEEDED, SWITCHBOARD_TARGET_DENY: 'public' })).toEqual(['SWITCHBOARD_TARGET_DENY']);
});

it('every fault is named at once', () => {
  const wrong = {
    PORT: '70000',
    PUBLIC_URL: 'http://hub.example',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://somewhere',
    COPILOT_BASE_URL: 'copilot.example',
    COPILOT_EVENTS: 'deal.created,deal.exploded',
    COPILOT_CLIENT_SECRET_FILE: join(folder, 'missing'),
    SWITCHBOARD_SECRET_KEY: 'c2hvcnQ=',
    SWITCHBOARD_ADMIN_TOKEN: 'short',
    SWITCHBOARD_RETENTION_DAYS: '-1',
    SWITCHBOARD_RETENTION_BYTES: '4096',
    SWITCHBOARD_TARGETS: 'a=http://127.0.0.1/,b,c=ftp://x/',
    SWITCHBOARD_BODY_LIMIT_BYTES: '1e9',
    SWITCHBOARD_TRUSTED_PROXIES: 'proxy',
    SWITCHBOARD_TARGET_ALLOW: '10.0.0.0',
    SWITCHBOARD_TARGET_DENY: '10.0.0.0/33',
  };
  const faults = faultsOf(wrong);
  expect(new Set(faults)).toEqual(
    new Set([...Object.keys(wrong), 'COPILOT_CLIENT_ID', 'COPILOT_CLIENT_SECRET']),
  );
  expect(faults.filter((where) => where === 'SWITCHBOARD_TARGETS')).toHaveLength(2);
});

it('nothing at all names what is needed', () => {
  expect(faultsOf({})).toEqual(['COPILOT_BASE_URL', 'COPILOT_CLIENT_ID', 'COPILOT_CLIENT_SECRET']);
  expect(faultsOf({ ...NEEDED, COPILOT_CLIENT_ID: '  ' })).toEqual(['COPILOT_CLIENT_ID']);
});

it('whatever stands in the environment is read or refused, and no secret gets into a fault', () => {
  const names = [
    'HOST',
    'PORT',
    'PUBLIC_URL',
    'DATABASE_URL',
    'LOG_LEVEL',
    'COPILOT_EVENTS',
    'SWITCHBOARD_TARGETS',
    'SWITCHBOARD_TARGET_DENY',
    'SWITCHBOARD_SECRET_KEY',
    'SWITCHBOARD_ADMIN_TOKEN',
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), fc.string()), (environment) => {
      faultsOf({ ...NEEDED, ...environment });
    }),
  );
  for (const [name, value] of [
    ['SWITCHBOARD_SECRET_KEY', 'p4ssw0rd'],
    ['SWITCHBOARD_ADMIN_TOKEN', 'p4ssw0rd'],
    ['DATABASE_URL', 'p4ssw0rd'],
    ['SWITCHBOARD_TARGETS', 'shop=htp://user:p4ssw0rd@shop.example/'],
    ['SWITCHBOARD_TARGETS', 'shop=htp://shop.example/?key=p4ssw0rd'],
  ] as const) {
    expect(() => read({ [name]: value })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('p4ssw0rd') }),
    );
  }
});

it('tokens cross no network in clear: http is for loopback', () => {
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
    expect({ url, faults: faultsOf({ ...NEEDED, PUBLIC_URL: url }) }).toEqual({
      url,
      faults: ['PUBLIC_URL'],
    });
  }
});

it('every secret may come as a file, but not twice', () => {
  const key = Buffer.alloc(32, 5);
  const settings = readSettings({
    ...NEEDED,
    COPILOT_CLIENT_SECRET: undefined,
    COPILOT_CLIENT_SECRET_FILE: file('client', 'from-a-file\n'),
    SWITCHBOARD_SECRET_KEY_FILE: file('key', `${key.toString('base64')}\n`),
    SWITCHBOARD_ADMIN_TOKEN_FILE: file('token', 'a-token-from-a-file\n'),
    DATABASE_URL_FILE: file('database', `sqlite:${folder}/here.db\n`),
  });
  expect(settings.copilot.clientSecret).toBe('from-a-file');
  expect(settings.secretKey).toEqual(key);
  expect(settings.adminToken).toBe('a-token-from-a-file');
  expect(settings.databaseFile).toBe(join(folder, 'here.db'));
  expect(faultsOf({ ...NEEDED, COPILOT_CLIENT_SECRET_FILE: file('client', 'x') })).toEqual([
    'COPILOT_CLIENT_SECRET',
  ]);
});

it('PostgreSQL is not there yet, and is told so', () => {
  for (const url of ['postgres://u:p@db/x', 'postgresql://db/x']) {
    expect(() => read({ DATABASE_URL: url })).toThrow(/PostgreSQL/);
  }
});

it('lists are read with their blanks left out', () => {
  const settings = read({
    COPILOT_EVENTS: ' deal.created , ,task.created',
    SWITCHBOARD_TARGETS: 'one = http://127.0.0.1:1/?a=b, two=https://x.example/',
    SWITCHBOARD_TARGET_DENY: '10.0.0.0/8, fd00::/8',
    COPILOT_SIGNATURE_HEADER: 'X-Signature',
  });
  expect(settings.copilot.events).toEqual(['deal.created', 'task.created']);
  expect(settings.copilot.scopes).toEqual(['webhooks', 'deals', 'tasks']);
  expect(settings.targets).toEqual([
    { name: 'one', url: 'http://127.0.0.1:1/?a=b' },
    { name: 'two', url: 'https://x.example/' },
  ]);
  expect(settings.targetDeny).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(settings.copilot.signatureHeader).toBe('x-signature');
});
