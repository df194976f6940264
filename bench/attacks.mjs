// Measures how attacks delay acknowledgements: the attacks run one after the other while notifications arrive at a steady
// rate, each over a new connection. Arguments: seconds per attack (30), the folder of the build (dist), a regular
// expression for the names of the attacks to run (all).
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { ATTACKS } from './programs/attack-list.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import {
  LOAD_CORE,
  memoryMiB,
  program,
  readIfExists,
  runNode,
  scratchFolder,
  until,
} from './harness/processes.mjs';
import { storeEvents } from './harness/stored-events.mjs';

const SECONDS = Number(process.argv[2] ?? 30);
const BUILD = resolve(process.argv[3] ?? 'dist');
const SELECTED = new RegExp(process.argv[4] ?? '');
const STORED = 100_000;
const PER_SECOND = 20;
/** Co-Pilot's timeout (document, 6.3). */
const ACK_TIMEOUT_MS = 5_000;
const GIVE_UP_MS = 60_000;
const SAMPLE_MS = 100;
/** Pause after an attack, before memory is measured again. */
const REST_MS = 5_000;
/** The benchmark fails if the 99th percentile of the acknowledgements is above this. */
const MAX_P99_MS = 250;
/** Notifications of 1 MB that fit into the quarantine. */
const QUARANTINED = 32;
let number = 0;

const folder = scratchFolder();
const stallLog = join(folder, 'stalls');
const daemon = await connectedDaemon(0, folder, {
  main: join(BUILD, 'main.js'),
  flags: ['--require', program('record-stalls.cjs')],
  settings: { STALL_LOG: stallLog },
});
const hook = new URL(daemon.hook.url);
const target = await daemon.api('POST', '/targets', { name: 'paused', url: 'http://127.0.0.1:9/' });
await daemon.api('POST', `/targets/${target.id}/pause`);
const page = await (await fetch(daemon.base, { headers: { accept: 'text/html' } })).text();
const [asset] = /\/assets\/index-[^"]+\.js/.exec(page) ?? ['/'];
const { secret: token } = await daemon.api('POST', '/tokens', { name: 'reader', scopes: ['read'] });
await daemon.restart((dataDir) => storeEvents(dataDir, STORED));

const rows = [];
for (const attack of ATTACKS.filter(({ name }) => SELECTED.test(name))) {
  await daemon.restart();
  if (attack.quarantined) await fillQuarantine();
  await measure(3, null);
  const row = await measure(SECONDS, attack);
  rows.push(row);
  console.error(JSON.stringify(row));
}
await daemon.close();

console.log(
  `Build ${BUILD}, Node ${process.version}, ${SECONDS} s each, ${PER_SECOND} notifications/s; ms and MB`,
);
console.log(
  '| attack | responses | acks | median | p99 | slowest | not within 5 s | longest stall (CPU, waiting for a core) | RSS before, peak, after |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const { name, responses, acks, median, p99, slowest, late, stall, cpu, queued, rss } of rows)
  console.log(
    `| ${[name, responses, acks, median, p99, slowest, late, `${stall} (${cpu}, ${queued})`, rss.join(', ')].join(' | ')} |`,
  );
const slow = rows.filter(({ p99, late }) => p99 > MAX_P99_MS || late > 0);
if (slow.length > 0) {
  console.error(
    `Failed (99 % must be acknowledged within ${MAX_P99_MS} ms, and all within 5 s): ${slow.map(({ name }) => name).join('; ')}.`,
  );
  process.exitCode = 1;
}

/** Sends notifications for this many seconds during an attack (null: none). @returns one row of the table */
async function measure(seconds, attack) {
  const before = residentMB();
  const startedAt = Date.now();
  const attacker = attack?.flood || attack?.hold ? startAttacker(attack.name, seconds) : null;
  let peak = 0;
  const sampling = setInterval(() => (peak = Math.max(peak, residentMB())), SAMPLE_MS);
  const sent = [];
  const end = performance.now() + seconds * 1_000;
  for (let due = performance.now(); due < end; due += 1_000 / PER_SECOND) {
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    sent.push(notify());
  }
  const acks = await Promise.all(sent);
  const { statuses, maxOpen } = (await attacker) ?? { statuses: {}, maxOpen: 0 };
  clearInterval(sampling);
  const endedAt = Date.now();
  await new Promise((done) => setTimeout(done, attacker ? REST_MS : 0));
  const stalls = (readIfExists(stallLog) ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const during = stalls.filter(({ at }) => at >= startedAt && at <= endedAt);
  const longest = during.reduce((most, one) => (one.stallMs > most.stallMs ? one : most), {
    stallMs: 0,
    cpuMs: 0,
    queuedMs: 0,
  });
  const times = acks.map(({ ms }) => ms).sort((a, b) => a - b);
  const percentile = (part) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))]);
  const responses = Object.entries(statuses).map(([what, count]) => `${count} × ${what}`);
  return {
    name: attack?.name,
    responses: `${responses.join(', ')}${maxOpen ? `; ${maxOpen} open` : ''}`,
    acks: acks.length,
    median: percentile(0.5),
    p99: percentile(0.99),
    slowest: percentile(1),
    late: acks.filter(({ ms, status }) => status !== 200 || ms > ACK_TIMEOUT_MS).length,
    stall: Math.round(longest.stallMs),
    cpu: Math.round(longest.cpuMs),
    queued: Math.round(longest.queuedMs),
    rss: [before, peak, residentMB()],
  };
}

function startAttacker(name, seconds) {
  const input = JSON.stringify({ name, seconds, base: daemon.base, hookPath: hook.pathname, token, asset });
  return runNode(LOAD_CORE, [program('attacker.mjs'), input]);
}

/** Sends one notification from an address that no attacker uses. @returns { ms, status }; status 0 without a response */
function notify(body, signature) {
  number += 1;
  const data = { id: number, nonce: `attacked ${number}`, name: `Live ${number}` };
  body ??= JSON.stringify({
    event: 'deal.updated',
    timestamp: new Date().toISOString(),
    webhook_id: 'wh_1',
    data,
  });
  signature ??= createHmac('sha256', daemon.hook.secret).update(body).digest('hex');
  return new Promise((done) => {
    const at = performance.now();
    const finish = (status) => done({ ms: performance.now() - at, status });
    const outgoing = request({
      host: '127.0.0.1',
      port: hook.port,
      localAddress: '127.0.0.2',
      agent: false,
      method: 'POST',
      path: hook.pathname,
      timeout: GIVE_UP_MS,
      headers: {
        host: hook.host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-signature': signature,
      },
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => finish(0));
    outgoing.on('response', (response) => response.resume().on('end', () => finish(response.statusCode)));
    outgoing.end(body);
  });
}

/** Sends forged notifications of 1 MB each until the quarantine is full. */
async function fillQuarantine() {
  await until(
    async () => {
      await notify('x'.repeat(1_000_000), '0'.repeat(64));
      const { data } = await daemon.api('GET', '/rejections?limit=200');
      return data.length >= QUARANTINED - 1;
    },
    'a full quarantine',
    GIVE_UP_MS,
  );
}

function residentMB() {
  return Math.round(memoryMiB(daemon.pid));
}
