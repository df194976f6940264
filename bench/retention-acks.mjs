// Latency of acknowledgements at a steady rate, while retention is idle and while it removes tens of thousands of events, by
// age and then by size. Arguments: events of each run (40000), notifications per second (200).
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { connectedDaemon } from './harness/daemon.mjs';
import { percentile } from './harness/figures.mjs';
import { notify, recordingReceiver } from './harness/live-traffic.mjs';
import { scratchFolder } from './harness/processes.mjs';
import { storeFinished } from './harness/stored-events.mjs';

const EVENTS = Number(process.argv[2] ?? 40_000);
const PER_SECOND = Number(process.argv[3] ?? 200);
const DAY_MS = 86_400_000;
/** Retention runs for the first time a minute after the start. */
const TIMEOUT_MS = 600_000;
const POLL_INTERVAL_MS = 50;
/** Retention has finished when nothing was removed for this long. Acks of this time before and after are the baseline. */
const IDLE_MS = 12_000;
const MAX_P99_MS = 20;

const daemon = await connectedDaemon(0, scratchFolder());
const receiver = await recordingReceiver();
await daemon.api('POST', '/targets', { name: 'healthy', url: receiver.url, events: ['live.*'] });
let file;

const runs = [
  await run('by age', (dataDir) => {
    storeFinished(dataDir, 1, EVENTS, Date.now() - 60 * DAY_MS);
    return { SWITCHBOARD_RETENTION_DAYS: '30' };
  }),
  await run('by size', (dataDir) => ({
    SWITCHBOARD_RETENTION_DAYS: '0',
    SWITCHBOARD_RETENTION_BYTES: String(Math.round(storeFinished(dataDir, 1, EVENTS, Date.now()) / 4)),
  })),
];
await daemon.close();
await receiver.close();

console.log(`Acks at ${PER_SECOND}/s in ms: median, 99th percentile, maximum`);
for (const { name, idle, removing, removed, seconds } of runs) {
  console.log(`${name}: ${removed} events removed in ${seconds.toFixed(1)} s`);
  console.log(`  idle       ${show(idle)}; ${idle.length} acks`);
  console.log(`  removing   ${show(removing)}; ${removing.length} acks`);
  const ratio = (part) => (percentile(removing, part) / percentile(idle, part)).toFixed(2);
  console.log(`  ratio      ${ratio(0.5)} × at the median, ${ratio(0.99)} × at the 99th percentile`);
  // On a busy machine every acknowledgement is slow, so the limit is at least twice the baseline.
  const limit = Math.max(MAX_P99_MS, 2 * percentile(idle, 0.99));
  if (percentile(removing, 0.99) > limit || removed < EVENTS / 2) {
    console.error(
      `The limits are ${limit.toFixed(1)} ms for 99 % of the acks, and at least ${EVENTS / 2} removed events.`,
    );
    process.exitCode = 1;
  }
}

/** Sends notifications from the start of the daemon until retention has finished. */
async function run(name, prepare) {
  await daemon.restart((dataDir) => {
    file = join(dataDir, 'switchboard.db');
    return prepare(dataDir);
  });
  const connection = new Sqlite(file, { readonly: true });
  const first = connection.prepare('SELECT count(*) FROM events WHERE seq <= ?').pluck();
  const upTo = connection.prepare('SELECT max(seq) FROM events').pluck().get();
  const stored = first.get(upTo);
  const oldest = connection.prepare('SELECT min(seq) FROM events').pluck();
  let lastOldest = oldest.get();
  let firstRemovalAt = null;
  let lastRemovalAt = null;
  const acks = [];
  const pending = [];
  const deadline = performance.now() + TIMEOUT_MS;
  let nextPollAt = 0;
  for (let due = performance.now(); lastRemovalAt === null || performance.now() < lastRemovalAt + IDLE_MS;) {
    if (performance.now() > deadline) throw new Error(`Retention ${name} did not finish.`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    due += 1_000 / PER_SECOND;
    pending.push(
      notify(daemon.hook, 'live.event').then(({ at }) => acks.push({ at, ms: performance.now() - at })),
    );
    if (performance.now() < nextPollAt) continue;
    nextPollAt = performance.now() + POLL_INTERVAL_MS;
    const now = oldest.get();
    if (now === lastOldest) continue;
    lastOldest = now;
    firstRemovalAt ??= performance.now() - POLL_INTERVAL_MS;
    lastRemovalAt = performance.now();
  }
  await Promise.all(pending);
  const removed = stored - first.get(upTo);
  connection.close();
  const msOf = (from, to) => acks.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
  return {
    name,
    idle: [
      ...msOf(firstRemovalAt - IDLE_MS, firstRemovalAt - 1_000),
      ...msOf(lastRemovalAt + 1_000, lastRemovalAt + IDLE_MS),
    ],
    removing: msOf(firstRemovalAt, lastRemovalAt),
    removed,
    seconds: (lastRemovalAt - firstRemovalAt) / 1_000,
  };
}

function show(values) {
  const [median, p99, maximum] = [0.5, 0.99, 1].map((part) => percentile(values, part).toFixed(1));
  return `${median}, ${p99}, ${maximum}`;
}
