import { findDoubtfulSettings } from '../../../src/relay/settings/doubtful-settings';
import { KNOWN_NAMES } from '../../../src/relay/settings/setting-table';

const doubts = (environment: Record<string, string>) =>
  findDoubtfulSettings(environment).map(({ where, what }) => {
    expect(what).not.toContain('a value');
    return [where, /nearest setting is (\w+)/.exec(what)?.[1]];
  });

it.each([
  ['SWITCHBOARD_RETENTION_DAY', 'SWITCHBOARD_RETENTION_DAYS'],
  ['COPILOT_EVENT', 'COPILOT_EVENTS'],
  ['COPILOT_URL', 'COPILOT_BASE_URL'],
  ['COPLIOT_BASE_URL', 'COPILOT_BASE_URL'],
  ['copilot_base_url', 'COPILOT_BASE_URL'],
  ['\uFEFFCOPILOT_BASE_URL', 'COPILOT_BASE_URL'],
  ['SWITCHBOARD_PORT', 'PORT'],
  ['SWITCHBOARD_DATABASE_URL', 'DATABASE_URL'],
  ['COPILOT_TARGETS', 'SWITCHBOARD_TARGETS'],
  ['SWITCHBOARD_NAME_FILE', 'SWITCHBOARD_NAME'],
  ['COPILOT_CLIENT_SECRET_FILES', 'COPILOT_CLIENT_SECRET_FILE'],
  ['PUBLC_URL', 'PUBLIC_URL'],
])('the unknown name %j is told with the nearest setting', (name, nearest) => {
  expect(doubts({ [name]: 'a value' })).toEqual([[name, nearest]]);
});

it('settings, names of other programs, and those that Kubernetes sets for a service are no doubts', () => {
  const others = [
    'PATH',
    'HOSTNAME',
    'POSTGRES_PASSWORD',
    'OTEL_SERVICE_NAME',
    'ftp_proxy',
    'no_proxy',
    'ALL_PROXY',
  ];
  const ofService = [
    'SWITCHBOARD_SERVICE_HOST',
    'SWITCHBOARD_SERVICE_PORT_HTTP',
    'SWITCHBOARD_PORT_4000_TCP_PROTO',
  ];
  const names = [...KNOWN_NAMES.filter((name) => name !== 'COPILOT_SCOPES'), ...others, ...ofService];
  expect(doubts(Object.fromEntries(names.map((name) => [name, 'a value'])))).toEqual([]);
  expect(doubts({ SWITCHBOARD_PORT: 'tcp://10.0.0.1:4000', SWITCHBOARD_TYPO: '' })).toEqual([]);
});

it('an unknown scope, and a value in quotes, are told', () => {
  expect(findDoubtfulSettings({ COPILOT_SCOPES: 'webhooks, deal' })).toEqual([
    expect.objectContaining({ where: 'COPILOT_SCOPES', what: expect.stringContaining('"deal"') }),
  ]);
  expect(doubts({ COPILOT_CLIENT_SECRET: '"a value"', COPILOT_SCOPES: 'webhooks,deals' })).toEqual([
    ['COPILOT_CLIENT_SECRET', undefined],
  ]);
});
