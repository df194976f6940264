// A million deliveries wait for a dead target, a tenth of them behind one that is stuck: how long a start takes, what memory
// it costs, and whether live deliveries to another target flow. Argument: deliveries (1000000).
import { readFileSync } from 'node:fs';
import { connectedDaemon } from './connected-daemon.mjs';
import { spread } from './figures.mjs';
import { latencies, recordingPlace } from './live-traffic.mjs';
import { scratchFolder } from './processes.mjs';
import { storeDeliveries } from './stored-deliveries.mjs';

const PENDING = Number(process.argv[2] ?? 1_000_000);
const BEHIND = Math.round(PENDING / 10);
const LIMIT_MIB = 250;
const LIMIT_START_MS = 2_000;

const daemon = await connectedDaemon(0, scratchFolder());
const healthy = await recordingPlace();
await daemon.api('POST', '/targets', { name: 'healthy', url: healthy.url, events: ['live.*'] });
const dead = await daemon.api('POST', '/targets', {
  name: 'dead',
  url: 'http://127.0.0.1:9/',
  events: ['nothing.*'],
});
const quiet = await latencies(daemon.hook, 'live.quiet', healthy, 50, 4);
await daemon.restart(() => undefined);
const emptyMs = daemon.startMs;

await daemon.restart((dataDir) => {
  const now = Date.now();
  const pending = { state: `'pending'`, ofClass: 0, attempts: 0, dueAt: now, lane: 'NULL' };
  storeDeliveries(dataDir, 2, PENDING - BEHIND, pending);
  storeDeliveries(dataDir, 2, BEHIND, {
    ...pending,
    state: `CASE i WHEN 1 THEN 'pending' ELSE 'waiting' END`,
    dueAt: `CASE i WHEN 1 THEN ${now} END`,
    lane: `'deal:1'`,
  });
});
const startMs = daemon.startMs;
const flowing = await latencies(daemon.hook, 'live.flowing', healthy, 50, 10);
const { backlog, breaker } = await daemon.api('GET', `/targets/${dead.id}`);
const peak = memoryMib(daemon.pid, 'VmHWM');
const now = memoryMib(daemon.pid, 'VmRSS');
await daemon.close();
await healthy.close();

console.log(
  `${backlog.open} deliveries open at a dead target, its breaker ${breaker === null ? 'closed' : 'open'}`,
);
console.log(`start to listening ${startMs.toFixed(0)} ms (${emptyMs.toFixed(0)} ms on an empty database)`);
console.log(`memory ${now.toFixed(0)} MiB, ${peak.toFixed(0)} MiB at most`);
console.log(`live deliveries to another target: quiet ${spread(quiet, 1)} ms, now ${spread(flowing, 1)} ms`);
// A machine that is busy with other things starts nothing within its time: then twice the start without them counts.
if (peak > LIMIT_MIB || startMs > Math.max(LIMIT_START_MS, 2 * emptyMs) || backlog.open < PENDING) {
  console.error(`Wanted: ${LIMIT_MIB} MiB, ${LIMIT_START_MS} ms, ${PENDING} open.`);
  process.exitCode = 1;
}

function memoryMib(pid, figure) {
  return (
    Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024
  );
}
