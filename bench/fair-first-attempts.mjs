// Latency of live deliveries to a healthy target, without other load and while 100,000 retries to a dead target come due;
// then of first attempts to a slow target, without other load and while 20,000 retries to the same target are due.
// Argument: retries (100000).
import { connectedDaemon } from './harness/daemon.mjs';
import { median, percentile, spread } from './harness/figures.mjs';
import { latencies, recordingReceiver } from './harness/live-traffic.mjs';
import { scratchFolder } from './harness/processes.mjs';
import { countAttempts, storeDeliveries } from './harness/stored-events.mjs';

const RETRIES = Number(process.argv[2] ?? 100_000);
const OWN_RETRIES = Math.round(RETRIES / 5);
const PER_SECOND = 50;
const SECONDS = 6;
// Without a circuit breaker, which would stop the retries.
const POLICY = { breaker: null, retry: { delays_s: [86_400, 86_400] } };
const DUE_RETRY = { state: `'retrying'`, ofClass: 1, attempts: 1, dueAt: Date.now(), lane: 'NULL' };

const daemon = await connectedDaemon(0, scratchFolder());
const healthy = await recordingReceiver();
const slow = await recordingReceiver(5);
await add('healthy', healthy.url, ['live.*']);
const dead = await add('dead', 'http://127.0.0.1:9/', ['nothing.*']);
const own = await add('slow', slow.url, ['slow.*'], { concurrency: 4 });
await measure('live.warm', healthy);

const quiet = await measure('live.quiet', healthy);
await daemon.api('POST', `/targets/${dead.id}/pause`);
await daemon.restart((dataDir) => storeDeliveries(dataDir, 2, RETRIES, DUE_RETRY));
await measure('live.warm', healthy);
await daemon.api('POST', `/targets/${dead.id}/resume`);
const storm = await measure('live.storm', healthy);
await daemon.api('POST', `/targets/${dead.id}/pause`);
let attemptsAtDead = 0;

const alone = await measure('slow.alone', slow);
await daemon.api('POST', `/targets/${own.id}/pause`);
await daemon.restart((dataDir) => {
  attemptsAtDead = countAttempts(dataDir, 2);
  storeDeliveries(dataDir, 3, OWN_RETRIES, DUE_RETRY);
});
await daemon.api('POST', `/targets/${own.id}/resume`);
const among = await measure('slow.among', slow);
const retriedAtSlow = [...slow.arrivals.keys()].filter((nonce) => String(nonce).startsWith('stored')).length;
await daemon.close();
for (const receiver of [healthy, slow]) await receiver.close();

const show = (name, values) =>
  console.log(
    `${name.padEnd(34)} ${spread(values, 1)} ms; 99 of 100 within ${percentile(values, 0.99).toFixed(1)}`,
  );
console.log(
  `Live deliveries at ${PER_SECOND}/s over ${SECONDS} s; median (minimum–maximum) from sending to arrival`,
);
show('healthy target, quiet', quiet);
show(`healthy, ${RETRIES} retries to a dead one`, storm);
show('slow target, quiet', alone);
show(`slow, ${OWN_RETRIES} retries of its own`, among);
const ratios = [median(storm) / median(quiet), median(among) / median(alone)];
console.log(
  `ratio of medians: healthy target ${ratios[0].toFixed(2)} ×, slow target ${ratios[1].toFixed(2)} ×`,
);
console.log(
  `in the meantime ${attemptsAtDead} retries to the dead target were made, and ${retriedAtSlow} to the slow one`,
);
if (ratios[0] >= 2) {
  console.error('The retries doubled the median latency of live deliveries, or worse.');
  process.exitCode = 1;
}

function add(name, url, events, policy = {}) {
  return daemon.api('POST', '/targets', { name, url, events, policy: { ...POLICY, ...policy } });
}

function measure(type, receiver) {
  return latencies(daemon.hook, type, receiver, PER_SECOND, SECONDS);
}
