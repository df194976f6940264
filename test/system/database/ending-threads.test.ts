import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { Daemon } from '../../support/daemon/daemon';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

/** A thread that is terminated within a statement that then fails aborts the process: the driver cannot make its error there. */
describe('a thread that is in a statement when the daemon stops', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-threads-'));
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.start({ upstream });
  }, 60_000);

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const hasOpen = (file: string) => {
    const descriptors = `/proc/${daemon.pid}/fd`;
    return readdirSync(descriptors).some((descriptor) => {
      const link = join(descriptors, descriptor);
      return existsSync(link) && readlinkSync(link) === file;
    });
  };

  it('brings a text index that somebody holds to its end', async () => {
    const file = join(daemon.dataDir, 'switchboard-search.db');
    await until('there is an index', () => existsSync(file));
    expect(await daemon.stop()).toBe(0);
    const holder = new sqliteDriver(file);
    try {
      holder.pragma('locking_mode = EXCLUSIVE');
      holder.exec('BEGIN EXCLUSIVE');
      await daemon.restart();
      await until('the index is being opened', () => hasOpen(file));
      expect(await daemon.stop()).toBe(0);
    } finally {
      holder.close();
    }
  }, 60_000);

  it('brings a read to its end, and refuses those behind it', () => {
    const file = join(folder, 'some.db');
    new sqliteDriver(file).exec('CREATE TABLE some(id)').close();
    const program = `
      const { Reader } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/reader.js'))});
      const overflowing = \`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
        SELECT abs(-9223372036854775807 - (max(i) > 0)) FROM n\`;
      const reader = new Reader(${JSON.stringify(file)});
      const told = (error) => console.log(error.message);
      reader.all(['SELECT 1', []]).then(async () => {
        const at = reader.all([overflowing, []]).catch(told);
        const behind = reader.all(['SELECT 2', []]).catch(told);
        setTimeout(() => reader.close().then(() => console.log('closed')), 50);
        await Promise.all([at, behind]);
        await reader.all(['SELECT 3', []]).catch(told);
      });`;
    const { status, signal, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect({ status, signal, said: stdout.trim().split('\n').toSorted() }).toEqual({
      status: 0,
      signal: null,
      said: ['The database was closed.', 'The database was closed.', 'closed', 'integer overflow'],
    });
  }, 60_000);
});

describe('a reading thread that cannot open the database', () => {
  it('is followed by others ever more slowly, and reads go on once one can', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-threads-'));
    const file = join(folder, 'late.db');
    const program = `
      const threads = require('node:worker_threads');
      let started = 0;
      threads.Worker = class extends threads.Worker {
        constructor(...parts) { super(...parts); started += 1; }
      };
      const { Reader } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/reader.js'))});
      const { sqliteDriver } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/sqlite-driver.js'))});
      const reader = new Reader(${JSON.stringify(file)});
      const read = () => reader.all(['SELECT 1 AS one', []]).then(([{ one }]) => one, () => 'refused');
      (async () => {
        const from = performance.now();
        for (let refused = 0; refused < 4;) if (await read() === 'refused') refused += 1;
        // Pauses of 50, 100 and 200 ms, which timers may cut short by a millisecond each.
        console.log(JSON.stringify({ few: started <= 6, slowly: performance.now() - from >= 347 }));
        new sqliteDriver(${JSON.stringify(file)}).exec('CREATE TABLE some(id)').close();
        let answer;
        do answer = await read(); while (answer === 'refused');
        console.log(answer);
        await reader.close();
      })();`;
    const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect({ status, said: stdout.trim().split('\n') }).toEqual({
      status: 0,
      said: ['{"few":true,"slowly":true}', '1'],
    });
  }, 60_000);
});

describe('a read whose asker goes away while it waits', () => {
  it('is not done', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-threads-'));
    const file = join(folder, 'some.db');
    new sqliteDriver(file).exec('CREATE TABLE some(id)').close();
    const program = `
      const { Reader } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/reader.js'))});
      const reader = new Reader(${JSON.stringify(file)});
      const slow = \`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
        SELECT max(i) FROM n\`;
      (async () => {
        await reader.all(['SELECT 1', []]);
        const gone = new AbortController();
        const first = reader.all([slow, []], gone.signal);
        const order = [];
        const abandoned = [1, 2, 3].map(() =>
          reader.all([slow, []], gone.signal).then(() => order.push('read'), ({ code }) => order.push(code)));
        const wanted = reader.all(['SELECT 2', []]).then(() => order.push('wanted'));
        gone.abort();
        await first;
        await Promise.all([...abandoned, wanted]);
        console.log(order.join(' '));
        await reader.close();
      })();`;
    const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect({ status, said: stdout.trim() }).toEqual({
      status: 0,
      said: 'request_abandoned request_abandoned request_abandoned wanted',
    });
  }, 60_000);
});
