// A replay of a million events to a target that responds immediately: the daemon's memory, the number of the replay's
// queued deliveries over time, and events per second. Arguments: events (1000000), time limit in minutes (60).
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { connectedDaemon } from './harness/daemon.mjs';
import { memoryMiB, scratchFolder } from './harness/processes.mjs';
import { callbackReceiver } from './harness/callback-receiver.mjs';
import { storeEvents } from './harness/stored-events.mjs';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const MINUTES = Number(process.argv[3] ?? 60);
const LIMIT_MIB = 512;
const MAX_QUEUED = 500;
const POLL_INTERVAL_MS = 100;

const daemon = await connectedDaemon(0, scratchFolder());
/** How often each `data.id` arrived. */
const times = new Uint8Array(EVENTS + 1);
const receiver = await callbackReceiver(({ data }, response) => {
  times[data.id] += 1;
  response.writeHead(204).end();
});
const target = await daemon.api('POST', '/targets', {
  name: 'receiver',
  url: receiver.url,
  events: ['nothing.*'],
  policy: { concurrency: 32 },
});
let database;
await daemon.restart((dataDir) => {
  storeEvents(dataDir, EVENTS);
  database = new Sqlite(join(dataDir, 'switchboard.db'), { readonly: true });
});
const idleMib = memoryMiB(daemon.pid, 'VmRSS');

const started = performance.now();
const { id, total, estimated } = await daemon.api('POST', '/replays', {
  filter: { types: ['deal.*'] },
  target_ids: [target.id],
});
const queuedRows = database.prepare(
  `SELECT count(*) AS queued FROM deliveries WHERE replay_id = ? AND state IN ('waiting', 'pending', 'retrying')`,
);
const state = database.prepare('SELECT events, ended_at FROM replays WHERE id = ?');
let maxQueued = 0;
let samples = 0;
for (const deadline = started + MINUTES * 60_000; state.get(id).ended_at === null;) {
  if (performance.now() > deadline)
    throw new Error(`${state.get(id).events} events after ${MINUTES} minutes.`);
  maxQueued = Math.max(maxQueued, queuedRows.get(id).queued);
  samples += 1;
  await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
}
const seconds = (performance.now() - started) / 1_000;
const peakMib = memoryMiB(daemon.pid, 'VmHWM');
const { events, report } = await daemon.api('GET', `/replays/${id}`);
database.close();
await daemon.close();
await receiver.close();

const arrivedOnce = times.reduce((count, one) => count + Number(one === 1), 0);
console.log(`${events} of ${total} events${estimated ? ' (estimated)' : ''} in ${seconds.toFixed(0)} s`);
console.log(`${(events / seconds).toFixed(0)} events/s`);
console.log(`memory ${idleMib.toFixed(0)} MiB before, at most ${peakMib.toFixed(0)} MiB`);
console.log(`at most ${maxQueued} deliveries queued, in ${samples} samples`);
console.log(
  `${arrivedOnce} events arrived at the target exactly once; the replay's report: ${JSON.stringify(report)}`,
);
if (peakMib > LIMIT_MIB || maxQueued > MAX_QUEUED || arrivedOnce !== EVENTS) {
  console.error(
    `The limits are ${LIMIT_MIB} MiB and ${MAX_QUEUED} queued, and all ${EVENTS} must arrive exactly once.`,
  );
  process.exitCode = 1;
}
