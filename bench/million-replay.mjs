// A replay of a million events to a target that answers at once: what memory the daemon takes, how many of the replay's deliveries
// are open at any time, and how many events a second go out. Arguments: events (1000000), minutes that it may take (60).
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { connectedDaemon } from './connected-daemon.mjs';
import { scratchFolder } from './processes.mjs';
import { storeEvents } from './stored-deliveries.mjs';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const MINUTES = Number(process.argv[3] ?? 60);
const LIMIT_MIB = 512;
const LIMIT_ROWS = 500;
const LOOK_EVERY_MS = 100;

const daemon = await connectedDaemon(0, scratchFolder());
const place = await countingPlace();
const target = await daemon.api('POST', '/targets', {
  name: 'place',
  url: place.url,
  events: ['nothing.*'],
  policy: { concurrency: 32 },
});
let database;
await daemon.restart((dataDir) => {
  storeEvents(dataDir, EVENTS);
  database = new Sqlite(join(dataDir, 'switchboard.db'), { readonly: true });
});
const idleMib = memoryMib('VmRSS');

const started = performance.now();
const { id, total, estimated } = await daemon.api('POST', '/replays', {
  filter: { types: ['deal.*'] },
  target_ids: [target.id],
});
const openRows = database.prepare(
  `SELECT count(*) AS open FROM deliveries WHERE replay_id = ? AND state IN ('waiting', 'pending', 'retrying')`,
);
const state = database.prepare('SELECT events, ended_at FROM replays WHERE id = ?');
let mostOpen = 0;
let looks = 0;
for (const deadline = started + MINUTES * 60_000; state.get(id).ended_at === null;) {
  if (performance.now() > deadline)
    throw new Error(`${state.get(id).events} events after ${MINUTES} minutes.`);
  mostOpen = Math.max(mostOpen, openRows.get(id).open);
  looks += 1;
  await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
const seconds = (performance.now() - started) / 1_000;
const peakMib = memoryMib('VmHWM');
const { events, report } = await daemon.api('GET', `/replays/${id}`);
database.close();
await daemon.close();
await place.close();

const cameOnce = place.times.reduce((count, times) => count + Number(times === 1), 0);
console.log(`${events} of ${total} events${estimated ? ' (estimated)' : ''} in ${seconds.toFixed(0)} s`);
console.log(`${(events / seconds).toFixed(0)} events/s`);
console.log(`memory ${idleMib.toFixed(0)} MiB before, ${peakMib.toFixed(0)} MiB at most`);
console.log(`${mostOpen} deliveries open at most, in ${looks} looks`);
console.log(`${cameOnce} events came to the target exactly once; its report: ${JSON.stringify(report)}`);
if (peakMib > LIMIT_MIB || mostOpen > LIMIT_ROWS || cameOnce !== EVENTS) {
  console.error(`Wanted: ${LIMIT_MIB} MiB, ${LIMIT_ROWS} open, ${EVENTS} once each.`);
  process.exitCode = 1;
}

/** Answers at once. @returns { url, times, close() }; `times`: how often each `data.id` came */
async function countingPlace() {
  const times = new Uint8Array(EVENTS + 1);
  const server = createServer((incoming, response) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      times[JSON.parse(Buffer.concat(parts).toString()).data.id] += 1;
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, times, close };
}

function memoryMib(figure) {
  const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
  return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)[1]) / 1_024;
}
