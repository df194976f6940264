import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { openFiles } from '../../support/open-files';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const hasOpen = ({ pid }: Daemon, file: string) => openFiles(pid).includes(file);

const newestEvent = (daemon: Daemon) =>
  daemon.rows<{ seq: number }>('SELECT max(seq) AS seq FROM events')[0]!.seq;

let upstream: FakeCopilot;
let daemon: Daemon;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.startConnected({ upstream });
});

afterAll(async () => {
  await daemon?.close();
  await upstream?.close();
});

describe('the thread of the text index', () => {
  it('ends while there is nothing to index, and starts again with the next event', async () => {
    const file = join(daemon.dataDir, 'switchboard-search.db');
    const threads = () => readdirSync(`/proc/${daemon.pid}/task`).length;
    await until('the thread has opened the index', () => hasOpen(daemon, file));
    // Other threads start at their first use.
    let most = 0;
    await until('the thread has ended', () => {
      most = Math.max(most, threads());
      return !hasOpen(daemon, file) && threads() < most;
    });
    const client = new WebhookSender(daemon.webhook);
    const { webhook_id: webhookId } = daemon.webhook;
    await client.send(dealNotification({ id: 1, name: 'Deal 1', webhookId }).body);
    client.close();
    await until('the event is indexed', () => {
      const index = new sqliteDriver(file, { readonly: true });
      try {
        return index.prepare('SELECT through FROM state').pluck().get() === newestEvent(daemon);
      } finally {
        index.close();
      }
    });
  });
});

/** A thread that is terminated in a statement that then fails aborts the process: the driver cannot create its error there. */
describe('a thread that executes a statement when the daemon stops', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-threads-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finishes opening a text index that another process has locked', async () => {
    const file = join(daemon.dataDir, 'switchboard-search.db');
    await until('the index exists', () => existsSync(file));
    expect(await daemon.stop()).toBe(0);
    const holder = new sqliteDriver(file);
    try {
      holder.pragma('locking_mode = EXCLUSIVE');
      holder.exec('BEGIN EXCLUSIVE');
      await daemon.restart();
      await until('the index is being opened', () => hasOpen(daemon, file));
      expect(await daemon.stop()).toBe(0);
    } finally {
      holder.close();
    }
  });

  it('finishes a read, and rejects those queued behind it', () => {
    const file = join(folder, 'some.db');
    new sqliteDriver(file).exec('CREATE TABLE some(id)').close();
    const program = `
      const { SqliteReader } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/sqlite/sqlite-reader.js'))});
      const overflowing = \`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        SELECT abs(-9223372036854775807 - (max(i) > 0)) FROM n\`;
      const reader = new SqliteReader(${JSON.stringify(file)});
      const print = (error) => console.log(error.message);
      reader.all(['SELECT 1', []]).then(async () => {
        const at = reader.all([overflowing, []]).catch(print);
        const behind = reader.all(['SELECT 2', []]).catch(print);
        setTimeout(() => reader.close().then(() => console.log('closed')), 10);
        await Promise.all([at, behind]);
        await reader.all(['SELECT 3', []]).catch(print);
      });`;
    const { status, signal, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect({ status, signal, output: stdout.trim().split('\n').toSorted() }).toEqual({
      status: 0,
      signal: null,
      output: ['The database was closed.', 'The database was closed.', 'closed', 'integer overflow'],
    });
  });
});

it('a stop does not outlast its time limit while another process holds the lock of the database', async () => {
  await daemon.restart();
  const client = new WebhookSender(daemon.webhook);
  const holder = new sqliteDriver(daemon.databaseFile);
  const send = (id: number) =>
    client.send(dealNotification({ id, webhookId: daemon.webhook.webhook_id }).body);
  try {
    expect((await send(1)).status).toBe(200);
    holder.pragma('busy_timeout = 5000');
    holder.exec('BEGIN IMMEDIATE');
    const answer = send(2);
    // It has read what was sent before on an open connection when it answers this.
    await daemon.get('/subscription');
    await expect(daemon.stop()).rejects.toThrow(/ended by SIGKILL[^]*the shutdown took too long/);
    expect((await answer).status).toBe(503);
  } finally {
    holder.close();
    client.close();
  }
});

describe('a read thread that cannot open the database', () => {
  it('is replaced at growing intervals, and reads resume once one can', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-threads-'));
    const file = join(folder, 'late.db');
    const program = `
      const threads = require('node:worker_threads');
      let started = 0;
      threads.Worker = class extends threads.Worker {
        constructor(...parts) { super(...parts); started += 1; }
      };
      const { SqliteReader } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/sqlite/sqlite-reader.js'))});
      const { sqliteDriver } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/sqlite/sqlite-driver.js'))});
      const reader = new SqliteReader(${JSON.stringify(file)});
      const read = () => reader.all(['SELECT 1 AS one', []]).then(([{ one }]) => one, () => 'rejected');
      (async () => {
        const from = performance.now();
        for (let rejected = 0; rejected < 4;) if (await read() === 'rejected') rejected += 1;
        // Pauses of 50, 100 and 200 ms; timers may be up to a millisecond early each.
        console.log(JSON.stringify({ few: started <= 6, slowly: performance.now() - from >= 347 }));
        new sqliteDriver(${JSON.stringify(file)}).exec('CREATE TABLE some(id)').close();
        let answer;
        do answer = await read(); while (answer === 'rejected');
        console.log(answer);
        await reader.close();
      })();`;
    const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect({ status, output: stdout.trim().split('\n') }).toEqual({
      status: 0,
      output: ['{"few":true,"slowly":true}', '1'],
    });
  });
});

describe('a queued read whose request is aborted', () => {
  it('is not executed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-threads-'));
    const file = join(folder, 'some.db');
    new sqliteDriver(file).exec('CREATE TABLE some(id)').close();
    const program = `
      const { SqliteReader } = require(${JSON.stringify(resolve(__dirname, '../../../dist/relay/database/sqlite/sqlite-reader.js'))});
      const reader = new SqliteReader(${JSON.stringify(file)});
      const slow = \`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
        SELECT max(i) FROM n\`;
      (async () => {
        await reader.all(['SELECT 1', []]);
        const client = new AbortController();
        const first = reader.all([slow, []], client.signal);
        const order = [];
        const abandoned = [1, 2, 3].map(() =>
          reader.all([slow, []], client.signal).then(() => order.push('read'), ({ code }) => order.push(code)));
        const wanted = reader.all(['SELECT 2', []]).then(() => order.push('wanted'));
        client.abort();
        await first;
        await Promise.all([...abandoned, wanted]);
        console.log(order.join(' '));
        await reader.close();
      })();`;
    const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect({ status, output: stdout.trim() }).toEqual({
      status: 0,
      output: 'request_abandoned request_abandoned request_abandoned wanted',
    });
  });
});
