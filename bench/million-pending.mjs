// Start time and memory with a million deliveries queued for a dead target, a tenth of them in one lane, and the latency of
// live deliveries to another target. Argument: deliveries (1000000).
import { connectedDaemon } from './harness/daemon.mjs';
import { spread } from './harness/figures.mjs';
import { latencies, recordingReceiver } from './harness/live-traffic.mjs';
import { memoryMiB, scratchFolder } from './harness/processes.mjs';
import { storeDeliveries } from './harness/stored-events.mjs';

const PENDING = Number(process.argv[2] ?? 1_000_000);
const IN_LANE = Math.round(PENDING / 10);
const LIMIT_MIB = 250;
const LIMIT_START_MS = 2_000;

const daemon = await connectedDaemon(0, scratchFolder());
const healthy = await recordingReceiver();
await daemon.api('POST', '/targets', { name: 'healthy', url: healthy.url, events: ['live.*'] });
const dead = await daemon.api('POST', '/targets', {
  name: 'dead',
  url: 'http://127.0.0.1:9/',
  events: ['nothing.*'],
});
const quiet = await latencies(daemon.hook, 'live.quiet', healthy, 50, 4);
await daemon.restart();
const emptyMs = daemon.startMs;

await daemon.restart((dataDir) => {
  const now = Date.now();
  const pending = { state: `'pending'`, ofClass: 0, attempts: 0, dueAt: now, lane: 'NULL' };
  storeDeliveries(dataDir, 2, PENDING - IN_LANE, pending);
  storeDeliveries(dataDir, 2, IN_LANE, {
    ...pending,
    state: `CASE i WHEN 1 THEN 'pending' ELSE 'waiting' END`,
    dueAt: `CASE i WHEN 1 THEN ${now} END`,
    lane: `'deal:1'`,
  });
});
const startMs = daemon.startMs;
const withBacklog = await latencies(daemon.hook, 'live.backlog', healthy, 50, 10);
const { backlog, breaker } = await daemon.api('GET', `/targets/${dead.id}`);
const peak = memoryMiB(daemon.pid, 'VmHWM');
const now = memoryMiB(daemon.pid, 'VmRSS');
await daemon.close();
await healthy.close();

console.log(
  `${backlog.open} deliveries queued for a dead target, its circuit breaker ${breaker === null ? 'closed' : 'open'}`,
);
console.log(`start to listening ${startMs.toFixed(0)} ms (${emptyMs.toFixed(0)} ms on an empty database)`);
console.log(`memory ${now.toFixed(0)} MiB, ${peak.toFixed(0)} MiB at most`);
console.log(
  `live deliveries to another target: ${spread(quiet, 1)} ms without the backlog, with it ${spread(withBacklog, 1)} ms`,
);
// On a busy machine every start is slow, so the limit is at least twice the start on an empty database.
if (peak > LIMIT_MIB || startMs > Math.max(LIMIT_START_MS, 2 * emptyMs) || backlog.open < PENDING) {
  console.error(
    `The limits are ${LIMIT_MIB} MiB, ${LIMIT_START_MS} ms to start, and ${PENDING} queued deliveries.`,
  );
  process.exitCode = 1;
}
