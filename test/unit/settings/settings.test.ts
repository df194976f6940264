import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { REQUIRED, errorsOf, read } from './required-settings';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

it('unset settings have the documented defaults', () => {
  expect(read({ DATA_DIR: '/var/lib/hub' })).toMatchObject({
    host: '127.0.0.1',
    port: 4000,
    publicUrl: null,
    databaseFile: '/var/lib/hub/switchboard.db',
    logLevel: 'info',
    name: null,
    copilot: {
      baseUrl: 'https://copilot.example/api',
      scopes: ['webhooks', 'deals', 'contacts', 'tasks', 'scenarios', 'agents'],
      signatureHeader: null,
    },
    secretKey: null,
    adminToken: null,
    watchesContract: true,
    retentionDays: 30,
    deadLetterDays: 90,
    retentionBytes: 0,
    targets: [],
    bodyLimitBytes: 8_388_608,
    backupDir: null,
    backupKeep: 7,
    targetAllow: ['0.0.0.0/0', '::/0'],
  });
  expect(read().copilot.events).toHaveLength(10);
});

it('the settings whose value is not the default are named', () => {
  expect(read().changed).toEqual(Object.keys(REQUIRED));
  const texts = {
    PORT: '4000',
    LOG_LEVEL: 'debug',
    SWITCHBOARD_MASK: 'data.email',
    SWITCHBOARD_TARGETS: ' ',
  };
  expect(read(texts).changed).toEqual([...Object.keys(REQUIRED), 'LOG_LEVEL', 'SWITCHBOARD_MASK']);
});

it('the default allowed target addresses depend on who can reach the daemon', () => {
  for (const HOST of ['127.0.0.1', '::1', 'localhost'])
    expect(read({ HOST }).targetAllow).toEqual(['0.0.0.0/0', '::/0']);
  for (const HOST of ['0.0.0.0', '::', '10.0.0.5', 'hub.example'])
    expect(read({ HOST }).targetAllow).toEqual(['public']);
  const given = 'public, private,10.0.0.0/8';
  expect(read({ SWITCHBOARD_TARGET_ALLOW: given }).targetAllow).toEqual(['public', 'private', '10.0.0.0/8']);
  expect(errorsOf({ ...REQUIRED, SWITCHBOARD_TARGET_DENY: 'public' })).toEqual(['SWITCHBOARD_TARGET_DENY']);
});

it('the secrets of targets belong to targets of the settings, and are never quoted', () => {
  const SWITCHBOARD_TARGETS = 'shop=http://127.0.0.1:1/';
  const secret = `whsec_${Buffer.alloc(25, 1).toString('base64')}`;
  const given = read({ SWITCHBOARD_TARGETS, SWITCHBOARD_TARGET_SECRETS: `shop = ${secret}` });
  expect(given.targetSecrets).toEqual(new Map([['shop', secret]]));
  for (const wrong of [
    `other=${secret}`,
    secret,
    'shop=whsec_c2hvcnQ=',
    `shop=${secret.slice(0, -1)}`,
    'shop',
  ])
    expect(() => read({ SWITCHBOARD_TARGETS, SWITCHBOARD_TARGET_SECRETS: wrong })).toThrow(
      /^(?!.*AQEB)SWITCHBOARD_TARGET_SECRETS /s,
    );
});

it('the names of targets have the limits of the API, in its words', () => {
  for (const [name, fault] of [
    ['x'.repeat(81), /Too big: expected string to have <=80 characters\./],
    ['a\u202eb', /must not contain control or invisible characters\./],
  ] as const)
    expect(() => read({ SWITCHBOARD_TARGETS: `${name}=http://127.0.0.1:1/` })).toThrow(fault);
});

it('an exception from the proxy that would never match is an error', () => {
  const NO_PROXY =
    '10.0.0.0/8 fd00::/8,10.*,.shop.example,https://shop.example:8443/,[fd00::7]:81,b\u00fcro.example,*';
  expect(read({ NO_PROXY }).outgoingProxy.except).toHaveLength(8);
  for (const wrong of ['10.0.0.0/33', '<local>', 'shop.example/path', '10.1.'])
    expect(errorsOf({ ...REQUIRED, NO_PROXY: `localhost,${wrong}` })).toEqual(['NO_PROXY']);
});

it('a faulty path of a masked value is an error', () => {
  expect(read().mask).toBeNull();
  const given = 'data.email, contact.*:data.name';
  expect(read({ SWITCHBOARD_MASK: given }).mask?.pathTexts).toEqual(given.split(', '));
  for (const wrong of ['email', 'data..x', 'data.email,contact/:data.name'])
    expect(errorsOf({ ...REQUIRED, SWITCHBOARD_MASK: wrong })).toEqual(['SWITCHBOARD_MASK']);
});

it('the name of the hub is limited', () => {
  expect(read({ SWITCHBOARD_NAME: ' Production ' }).name).toBe('Production');
  expect(errorsOf({ ...REQUIRED, SWITCHBOARD_NAME: 'x'.repeat(61) })).toEqual(['SWITCHBOARD_NAME']);
});

it('all errors are listed together', () => {
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
    SWITCHBOARD_METRICS_TOKEN: 'short',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    SWITCHBOARD_RETENTION_DAYS: '-1',
    SWITCHBOARD_CONTRACT_WATCH: 'no',
    SWITCHBOARD_RETENTION_BYTES: '4096',
    SWITCHBOARD_TARGETS: 'a=http://127.0.0.1/,b,c=ftp://x/',
    SWITCHBOARD_BODY_LIMIT_BYTES: '1e9',
    SWITCHBOARD_BACKUP_KEEP: '0',
    SWITCHBOARD_TRUSTED_PROXIES: 'proxy',
    SWITCHBOARD_TARGET_ALLOW: '10.0.0.0',
    SWITCHBOARD_TARGET_DENY: '10.0.0.0/33',
  };
  const errors = errorsOf(wrong);
  expect(new Set(errors)).toEqual(
    new Set([...Object.keys(wrong), 'COPILOT_CLIENT_ID', 'COPILOT_CLIENT_SECRET']),
  );
  expect(errors.filter((where) => where === 'SWITCHBOARD_TARGETS')).toHaveLength(2);
});

it('http beyond loopback needs a setting', () => {
  const addresses = { COPILOT_BASE_URL: 'http://sandbox:4010', PUBLIC_URL: 'http://switchboard:4000/' };
  expect(errorsOf({ ...REQUIRED, ...addresses })).toEqual(['COPILOT_BASE_URL', 'PUBLIC_URL']);
  expect(errorsOf({ ...REQUIRED, ...addresses, SWITCHBOARD_ALLOW_HTTP: 'yes' })).toContain(
    'SWITCHBOARD_ALLOW_HTTP',
  );
  const allowed = read({ ...addresses, SWITCHBOARD_ALLOW_HTTP: 'true' });
  expect([allowed.copilot.baseUrl, allowed.publicUrl]).toEqual([
    'http://sandbox:4010',
    'http://switchboard:4000',
  ]);
  expect(read({ PUBLIC_URL: 'http://localhost:1' }).publicUrl).toBe('http://localhost:1');
});

it('the URL of an outgoing proxy may contain a password, which no error repeats', () => {
  const HTTPS_PROXY = 'http://hub:secret@proxy.example:3128';
  expect(read({ HTTPS_PROXY, no_proxy: '.Example, 10.0.0.0/8' }).outgoingProxy).toEqual({
    https: HTTPS_PROXY,
    http: null,
    except: ['.example', '10.0.0.0/8'],
  });
  for (const wrong of ['socks5://hub:secret@proxy', 'proxy:3128', `${HTTPS_PROXY}/path`]) {
    const environment = { ...REQUIRED, HTTPS_PROXY: wrong };
    expect(errorsOf(environment)).toEqual(['HTTPS_PROXY']);
    expect(() => readSettings(environment)).not.toThrow(/secret/);
  }
});

it('an empty environment reports the required settings', () => {
  expect(errorsOf({})).toEqual(['COPILOT_BASE_URL', 'COPILOT_CLIENT_ID', 'COPILOT_CLIENT_SECRET']);
  expect(errorsOf({ ...REQUIRED, COPILOT_CLIENT_ID: '  ' })).toEqual(['COPILOT_CLIENT_ID']);
});

it('any environment is accepted or rejected, and no error contains a secret', () => {
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
      errorsOf({ ...REQUIRED, ...environment });
    }),
  );
  for (const [name, value] of [
    ['SWITCHBOARD_SECRET_KEY', 'p4ssw0rd'],
    ['SWITCHBOARD_ADMIN_TOKEN', 'p4ssw0rd'],
    ['DATABASE_URL', 'p4ssw0rd'],
    ['PUBLIC_URL', 'https://hub:p4ssw0rd@hub.example'],
    ['PUBLIC_URL', 'https://hub.example/?key=p4ssw0rd'],
    ['SWITCHBOARD_TARGETS', 'shop=htp://user:p4ssw0rd@shop.example/'],
    ['SWITCHBOARD_TARGETS', 'shop=htp://shop.example/?key=p4ssw0rd'],
  ] as const) {
    expect(() => read({ [name]: value })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('p4ssw0rd') }),
    );
  }
});

it('every secret can be read from a file, but cannot be set in both ways', () => {
  const key = Buffer.alloc(32, 5);
  const settings = readSettings({
    ...REQUIRED,
    COPILOT_CLIENT_SECRET: undefined,
    COPILOT_CLIENT_SECRET_FILE: file('client', 'from-a-file\n'),
    SWITCHBOARD_SECRET_KEY_FILE: file('key', `${key.toString('base64')}\n`),
    SWITCHBOARD_ADMIN_TOKEN_FILE: file('token', 'a-token-from-a-file\n'),
    // As Notepad and PowerShell save it.
    DATABASE_URL_FILE: file('database', Buffer.from(`\uFEFFsqlite:${folder}/here.db\r\n`, 'utf16le')),
  });
  expect(settings.copilot.clientSecret).toBe('from-a-file');
  expect(settings.secretKey).toEqual(key);
  expect(settings.adminToken).toBe('a-token-from-a-file');
  expect(settings.databaseFile).toBe(join(folder, 'here.db'));
  expect(errorsOf({ ...REQUIRED, COPILOT_CLIENT_SECRET_FILE: file('client', 'x') })).toEqual([
    'COPILOT_CLIENT_SECRET',
  ]);
  for (const unclear of ['', '\n', 'NAME=1\nSECRET=2', Buffer.from('f\xfcr', 'latin1')])
    expect(errorsOf({ ...REQUIRED, SWITCHBOARD_ADMIN_TOKEN_FILE: file('token', unclear) })).toContain(
      'SWITCHBOARD_ADMIN_TOKEN_FILE',
    );
});

describe('an address of PostgreSQL', () => {
  const shared = {
    SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    SWITCHBOARD_ADMIN_TOKEN: 'a-token-for-all-daemons',
  };

  it('is used instead of a file', () => {
    for (const url of ['postgres://u:p@db/x', 'postgresql://db/x?sslmode=verify-full'])
      expect(read({ ...shared, DATABASE_URL: url }).postgresUrl).toBe(url);
    expect(read({}).postgresUrl).toBeNull();
  });

  it('requires the key and the token that every daemon needs, and excludes scheduled backups', () => {
    const environment = { ...REQUIRED, DATABASE_URL: 'postgres://db/x', SWITCHBOARD_BACKUP_DIR: folder };
    expect(errorsOf(environment)).toEqual([
      'SWITCHBOARD_SECRET_KEY',
      'SWITCHBOARD_ADMIN_TOKEN',
      'SWITCHBOARD_BACKUP_DIR',
    ]);
    expect(errorsOf({ ...REQUIRED, ...shared, DATABASE_URL: 'postgres://u:p4ssw0rd@db:port/x' })).toEqual([
      'DATABASE_URL',
    ]);
  });
});

it('spaces and empty items in lists are ignored', () => {
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
