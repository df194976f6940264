import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed } from '../../../src/cli/command-failed';
import type { HubFlags } from '../../../src/cli/definitions/hub-flags';
import { findHub } from '../../../src/cli/remote/find-hub';
import { changeProfiles, readProfiles } from '../../../src/cli/remote/profiles';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-profiles-'));
const file = join(folder, 'switchboard/profiles.json');
beforeEach(() => {
  process.env['XDG_CONFIG_HOME'] = folder;
  changeProfiles((all) => {
    all.current = 'prod';
    all.profiles = {
      prod: { hub: 'https://prod.example', token: 'of-prod', token_command: null, ca_file: null },
      stage: { hub: 'https://stage.example', token: null, token_command: 'echo of-stage', ca_file: null },
      plain: { hub: 'http://plain.example', token: 'of-plain', token_command: null, ca_file: null },
    };
  });
});
afterEach(() => rmSync(join(folder, 'switchboard'), { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const here = {
  url: 'http://127.0.0.1:4000',
  source: 'this machine',
  token: 'of-here',
  caFile: null,
  isLocal: true,
};

async function find(flags: HubFlags, env: Record<string, string> = {}): Promise<string> {
  const isNamed = flags.dataDir !== undefined || 'DATA_DIR' in env;
  const { url, token } = await findHub(flags, env, () => ({ isNamed, open: async () => here }));
  return `${url} ${token}`;
}

const failure = async (flags: HubFlags, env: Record<string, string> = {}) => {
  const error = await find(flags, env).then(
    (found) => found,
    (reason: unknown) => reason,
  );
  return error instanceof CommandFailed ? [error.exitCode, error.code] : error;
};

const FROM_ENV = { SWITCHBOARD_HUB: 'https://env.example', SWITCHBOARD_TOKEN: 'of-env' };
const OF_ENV = 'https://env.example of-env';

it.each<[flags: HubFlags, env: Record<string, string>, found: string]>([
  [{ profile: 'stage', dataDir: 'x' }, { ...FROM_ENV, DATA_DIR: 'x' }, 'https://stage.example of-stage'],
  [{ hub: 'https://stage.example/' }, FROM_ENV, 'https://stage.example of-stage'],
  [{ dataDir: 'x' }, { ...FROM_ENV, SWITCHBOARD_PROFILE: 'stage', DATA_DIR: 'x' }, OF_ENV],
  [
    { dataDir: 'x' },
    { SWITCHBOARD_PROFILE: 'stage', SWITCHBOARD_TOKEN: 'x' },
    'https://stage.example of-stage',
  ],
  [{}, { DATA_DIR: 'x' }, 'http://127.0.0.1:4000 of-here'],
  [{}, { SWITCHBOARD_TOKEN: 'x' }, 'https://prod.example of-prod'],
  [{ hub: 'https://new.example' }, { SWITCHBOARD_TOKEN: 'given' }, 'https://new.example given'],
])('the first that is given counts: flags %j, environment %j', async (flags, env, found) => {
  expect(await find(flags, env)).toBe(found);
});

it('without a profile it is the daemon on ./data', async () => {
  changeProfiles((all) => {
    all.current = null;
  });
  expect(await find({})).toBe('http://127.0.0.1:4000 of-here');
});

it.each<[what: string, flags: HubFlags, env: Record<string, string>, failure: [number, string]]>([
  [
    'another hub than that of the profile',
    { hub: 'https://evil.example', profile: 'prod' },
    {},
    [77, 'no_token'],
  ],
  ['another hub than that of the environment', { hub: 'https://evil.example' }, FROM_ENV, [77, 'no_token']],
  [
    'a hub of the environment without a token',
    {},
    { SWITCHBOARD_HUB: 'https://evil.example' },
    [77, 'no_token'],
  ],
  ['another port', { hub: 'https://prod.example:444' }, {}, [77, 'no_token']],
  ['another machine without https', { profile: 'plain' }, {}, [78, 'https_required']],
  ['a profile that there is not', { profile: '__proto__' }, {}, [78, 'profile_unknown']],
  ['a token that is none', {}, { ...FROM_ENV, SWITCHBOARD_TOKEN: 'a\nb' }, [77, 'no_token']],
])('no token is sent to %s', async (_, flags, env, expected) => {
  expect(await failure(flags, env)).toEqual(expected);
});

it.each<[what: string, damage: () => void]>([
  ['can be read by others', () => chmodSync(file, 0o644)],
  ['is no JSON', () => writeFileSync(file, '{')],
  ['has another form', () => writeFileSync(file, '{"current":"a","profiles":{"a":{}}}')],
  ['is a folder', () => (rmSync(file), mkdirSync(file, { mode: 0o700 }))],
])('a file of profiles that %s is refused', async (_, damage) => {
  damage();
  expect(await failure({})).toEqual([78, 'file_invalid']);
  expect(await find({}, FROM_ENV)).toBe(OF_ENV);
});

it('a command for a token that fails is said, without what it printed', async () => {
  changeProfiles(({ profiles }) => {
    profiles['prod']!.token_command = 'echo secret; exit 3';
  });
  const error = await find({}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ exitCode: 77, detail: expect.stringContaining('exit code 3') });
});

it('changes keep what is there, and private', () => {
  changeProfiles(({ profiles }) => delete profiles['plain']);
  expect(Object.keys(readProfiles().profiles)).toEqual(['prod', 'stage']);
});
