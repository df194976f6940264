// Reading the states of entities from many events, next to reading the events themselves, on SQLite and on PostgreSQL; and
// acknowledgements at a steady rate while lists and exports are read, against those of the same daemon when nothing is. Each
// export must have each deal once. Arguments: events (1000000), deals (100000), rounds (5), seconds of each side per round
// (10), notifications per second (500).
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { connectedDaemon } from './harness/daemon.mjs';
import { exportDeals } from './harness/export-deals.mjs';
import { alternate, median } from './harness/figures.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendNotifications } from './harness/load.mjs';
import { startPostgres } from './harness/postgres.mjs';
import {
  LOAD_CORE,
  SERVER_CORE,
  ask,
  cpuMicroseconds,
  program,
  scratchFolder,
  startProgram,
} from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { skipTextIndex, storeEvents } from './harness/stored-events.mjs';

const [events = 1_000_000, deals = 100_000, rounds = 5, seconds = 10, perSecond = 500] = process.argv
  .slice(2)
  .map(Number);
const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
/** Requests of each kind per round. */
const REQUESTS = 50;

// V8's threads would not have its priority.
const READER = ['--single-threaded', program('read-exports.mjs')];

const folder = scratchFolder();
const keys = {
  SWITCHBOARD_SECRET_KEY: randomBytes(32).toString('base64'),
  SWITCHBOARD_ADMIN_TOKEN: randomBytes(32).toString('hex'),
};
const daemon = await connectedDaemon(SERVER_CORE, folder, { settings: keys });
// By then the text index has its file.
await daemon.quiet();
await daemon.restart((dataDir) => {
  storeEvents(dataDir, events, undefined, deals);
  skipTextIndex(dataDir);
});
let [sent, acknowledged] = [0, 0];
const onFile = await measure(null);
const postgres = await startPostgres(SERVER_CORE, folder);
await daemon.restart((dataDir) => {
  const environment = { PATH: process.env.PATH, DATA_DIR: dataDir, ...keys };
  const moved = spawnSync(process.execPath, [MAIN, 'move', '--to', postgres.url], { env: environment });
  if (moved.status !== 0) throw new Error(moved.stderr.toString());
  daemon.settings.DATABASE_URL = postgres.url;
});
const onServer = await measure(postgres);
await daemon.close();
await postgres.stop();

const REQUESTED = ['state', 'event', 'list', 'events', 'as of', 'by name', 'count'];
const rowsOf = (name, unit, digits, figure) =>
  Object.entries({ SQLite: onFile, PostgreSQL: onServer }).map(([engine, { results }]) => ({
    name: `${name}, ${engine}`,
    unit,
    digits,
    values: results.map(figure),
  }));
report({
  settings: { events, deals, rounds, 'seconds each': seconds, 'notifications per second': perSecond },
  rows: [
    ...rowsOf('ack p99, read ÷ alone', '×', 2, ({ read, alone }) => read.ackMs.p99 / alone.ackMs.p99),
    ...rowsOf('ack p50, read ÷ alone', '×', 2, ({ read, alone }) => read.ackMs.p50 / alone.ackMs.p50),
    ...rowsOf('ack p99, alone', 'ms', 1, ({ alone }) => alone.ackMs.p99),
    ...rowsOf('ack p99, read', 'ms', 1, ({ read }) => read.ackMs.p99),
    ...rowsOf('exports meanwhile', '', 1, ({ read }) => read.exports),
    ...rowsOf('a state ÷ an event', '×', 2, ({ reads }) => reads.state / reads.event),
    ...rowsOf('a page of 50 ÷ one of events', '×', 2, ({ reads }) => reads.list / reads.events),
    ...REQUESTED.flatMap((name) => rowsOf(name, 'ms', 1, ({ reads }) => reads[name])),
    ...rowsOf('an export', 's', 1, ({ reads }) => reads.export.seconds),
    ...rowsOf('the same: CPU', 'µs per deal', 1, ({ reads }) => reads.export.cpu),
  ],
  notes: [
    `The count examines for a second: ${onFile.counted} on SQLite, ${onServer.counted} on PostgreSQL.`,
    `Each of the exports had each of the ${deals} deals once.`,
  ],
});

/** @param server of PostgreSQL, if the daemon uses it */
async function measure(server) {
  await daemon.quiet();
  await load();
  const results = await alternate(rounds, { reads: () => readAll(server), alone: load, read: loadWhileRead });
  await checkLedger(daemon, { sent, acknowledged }, server === null ? undefined : server.sql);
  const { count, estimated } = await daemon.api('GET', '/entities/count?kind=deal');
  return { results, counted: `${estimated ? 'about ' : ''}${count}` };
}

async function load() {
  const count = perSecond * seconds;
  const result = await sendNotifications(daemon.hook, count, perSecond);
  sent += count;
  acknowledged += result.acknowledged;
  return result;
}

async function loadWhileRead() {
  const args = [...READER, daemon.base, daemon.token, deals];
  const { child } = await startProgram(LOAD_CORE, args, (line) => line === 'reading');
  const result = await load();
  return { ...result, exports: await ask(child, 'end') };
}

/** Medians of requests one after the other, in ms, and one export. */
async function readAll(server) {
  const { data } = await daemon.api('GET', '/events?limit=50&entity=deal:1');
  const { id, seq } = data.at(-1);
  const asOf = seq + Math.floor(events / 2);
  const paths = {
    state: () => `/entities/deal:${1 + Math.floor(Math.random() * deals)}`,
    event: () => `/events/${id}`,
    list: () => '/entities?kind=deal&limit=50',
    events: () => '/events?type=deal.updated&limit=50',
    'as of': () => `/entities?kind=deal&limit=50&as_of_seq=${asOf}`,
    'by name': () => '/entities?kind=deal&limit=50&sort=entity',
  };
  const times = {};
  for (const [name, path] of Object.entries(paths)) times[name] = await timeOf(path, REQUESTS);
  times.count = await timeOf(() => '/entities/count?kind=deal', 1);
  const cpu = () => cpuMicroseconds(daemon.pid) + (server?.cpu() ?? 0);
  const [before, startedAt] = [cpu(), performance.now()];
  const count = await exportDeals(daemon.base, daemon.token, deals);
  return {
    ...times,
    export: { seconds: (performance.now() - startedAt) / 1_000, cpu: (cpu() - before) / count },
  };
}

async function timeOf(path, requests) {
  const times = [];
  for (let i = 0; i < requests; i += 1) {
    const startedAt = performance.now();
    const { code } = await daemon.api('GET', path());
    if (code !== undefined) throw new Error(`${path()} failed: ${code}.`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
