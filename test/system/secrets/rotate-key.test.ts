import { readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { connection } from '../../../src/contract/connection';
import { SEALED_COLUMNS } from '../../../src/relay/secrets/sealed-columns';
import { systemRandom } from '../../../src/relay/ground/random';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { makeCertificate } from '../../support/fakes/certificates';
import { useReceivers } from '../../support/fakes/receivers';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';
import { stored } from '../access/token-fixture';

const startReceiver = useReceivers();
let hub: Switchboard;
beforeAll(async () => {
  hub = await Switchboard.start();
});
afterAll(() => hub.end());

const keyFile = () => join(hub.dataDir, 'secret.key');
const rotate = () => runInProcess(['rotate-key', '--data-dir', hub.dataDir]);
const restart = async () => {
  await hub.restart();
};
/** Of each encrypted column. */
const sealed = (): [column: string, values: string[]][] => {
  const file = new sqliteDriver(join(hub.dataDir, 'switchboard.db'));
  try {
    return Object.keys(SEALED_COLUMNS).map((column) => {
      const [table, name] = column.split('.');
      const sql = `SELECT ${name} AS value FROM ${table} WHERE ${name} IS NOT NULL`;
      return [
        column,
        file
          .prepare<[], { value: string }>(sql)
          .all()
          .map(({ value }) => value),
      ];
    });
  } finally {
    file.close();
  }
};

it('encrypts all secrets again, also in the file, and keeps the former key', async () => {
  const receiver = await startReceiver();
  const { key, cert } = makeCertificate({ name: 'client' });
  const { id } = await hub.addTarget('all', receiver.url, ['sent'], {
    headers: [{ name: 'authorization', value: 'Bearer kept', secret: true }],
    tls: { cert, key },
  });
  await hub.ask(`/targets/${id}/secret/rotate`, { method: 'POST' });
  expect(await rotate()).toMatchObject({ code: 78, out: '', err: expect.stringContaining('locked') });
  await hub.stop();

  const before = sealed();
  for (const [column, values] of before)
    expect({ column, isUsed: values.length > 0 }).toEqual({ column, isUsed: true });
  const former = readFileSync(keyFile(), 'utf8');
  const { code, out, err } = await rotate();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /^Encrypted the stored secrets \(\d+\) with the new key\.\nThe former key is in .*secret\.key\.before-\d+T\d+Z: /,
  );
  expect(out).not.toContain(former.trim());
  expect(readFileSync(keyFile(), 'utf8')).not.toBe(former);
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  const kept = readdirSync(hub.dataDir).find((name) => name.startsWith('secret.key.before-'))!;
  expect(readFileSync(join(hub.dataDir, kept), 'utf8')).toBe(former);
  const bytes = stored(hub);
  for (const value of before.flatMap(([, values]) => values)) expect(bytes).not.toContain(value);

  await restart();
  expect(await hub.read(connection, '/connection')).toMatchObject({ state: 'connected' });
  const event = await hub.emit('sent');
  await until('it arrives', () => receiver.of(event).length > 0);
  expect(receiver.of(event)[0]!.headers).toMatchObject({
    authorization: 'Bearer kept',
    'webhook-signature': expect.stringMatching(/^v1,\S+ v1,\S+$/),
  });
  await hub.stop();
});

it('is completed by another run if it ended before the new key was in place', async () => {
  const former = readFileSync(keyFile(), 'utf8');
  await rotate();
  renameSync(keyFile(), `${keyFile()}.next`);
  writeFileSync(keyFile(), former, { mode: 0o600 });
  await expect(restart()).rejects.toThrow('If "switchboard rotate-key" was interrupted, run it again.');
  expect((await rotate()).out).toMatch(/^The secrets are encrypted with the new key already\.\n/);
  await restart();
  await hub.stop();
});

it('takes the new key from a file if the present one is a setting', async () => {
  const file = join(hub.dataDir, 'next');
  writeFileSync(file, `${Buffer.alloc(32, 3).toString('base64')}\n`);
  const environment = { SWITCHBOARD_SECRET_KEY: readFileSync(keyFile(), 'utf8').trim() };
  const run = (...args: string[]) =>
    runInProcess(['rotate-key', '--data-dir', hub.dataDir, ...args], environment);
  expect(await run()).toMatchObject({ code: 78, err: expect.stringContaining('openssl rand -base64 32') });
  expect(await run('--new-key-file', file)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`content of ${file}`),
  });
  // Again, before the setting is changed.
  expect(await run('--new-key-file', file)).toMatchObject({
    code: 0,
    out: expect.stringContaining('already'),
  });
  await hub.restart({ SWITCHBOARD_SECRET_KEY: readFileSync(file, 'utf8') });
});

describe('on PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres.stop());

  it('encrypts all secrets again while no daemon runs', async () => {
    const url = await postgres.createMigrated();
    const keys = [7, 8].map((fill) => Buffer.alloc(32, fill));
    const [before, after] = keys.map((key) => new Sealer(key, systemRandom)) as [Sealer, Sealer];
    await runSql(
      url,
      `UPDATE instance SET key_check = '${before.seal('sealed', 'instance.key_check')}';
       INSERT INTO targets(id, name, url, events, secret, enabled, created_at, updated_at)
       VALUES ('tgt_1', 'one', 'http://a.example', '[]', '${before.seal('whsec_', 'targets.secret')}', 1, 0, 0);
       INSERT INTO daemons(id, version, started_at, alive_until) VALUES ('dmn_1', '0', now(), now() + interval '1 hour')`,
    );
    const file = join(hub.dataDir, 'of-postgres');
    writeFileSync(file, keys[1]!.toString('base64'));
    const environment = { DATABASE_URL: url, SWITCHBOARD_SECRET_KEY: keys[0]!.toString('base64') };
    const run = () => runInProcess(['rotate-key', '--new-key-file', file], environment);
    expect(await run()).toMatchObject({ code: 78, err: expect.stringContaining('A daemon is running') });
    await runSql(url, 'DELETE FROM daemons');
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('secrets (2)') });
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ secret: string }>('SELECT secret FROM targets');
    await client.end();
    expect(after.open(rows[0]!.secret, 'targets.secret')).toBe('whsec_');
  });
});
