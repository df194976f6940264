// How long a live delivery takes to a healthy target, quiet and while 100,000 retries to a dead one come due; then first
// attempts to a slow target of its own, quiet and while 20,000 of its own retries are due. Argument: retries (100000).
import { connectedDaemon } from './connected-daemon.mjs';
import { median, spread } from './figures.mjs';
import { latencies, recordingPlace } from './live-traffic.mjs';
import { scratchFolder } from './processes.mjs';
import { countAttempts, storeDeliveries } from './stored-deliveries.mjs';

const RETRIES = Number(process.argv[2] ?? 100_000);
const OWN_RETRIES = Math.round(RETRIES / 5);
const PER_SECOND = 50;
const SECONDS = 6;
// No breaker: it would make it too easy.
const POLICY = { breaker: null, retry: { delays_s: [86_400, 86_400] } };
const DUE_RETRY = { state: `'retrying'`, ofClass: 1, attempts: 1, dueAt: Date.now(), lane: 'NULL' };

const daemon = await connectedDaemon(0, scratchFolder());
const healthy = await recordingPlace();
const slow = await recordingPlace(5);
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
let tried = 0;

const alone = await measure('slow.alone', slow);
await daemon.api('POST', `/targets/${own.id}/pause`);
await daemon.restart((dataDir) => {
  tried = countAttempts(dataDir, 2);
  storeDeliveries(dataDir, 3, OWN_RETRIES, DUE_RETRY);
});
await daemon.api('POST', `/targets/${own.id}/resume`);
const among = await measure('slow.among', slow);
const sentAgain = [...slow.arrivals.keys()].filter((nonce) => String(nonce).startsWith('stored')).length;
await daemon.close();
for (const place of [healthy, slow]) await place.close();

const show = (name, values) =>
  console.log(
    `${name.padEnd(34)} ${spread(values, 1)} ms; 99 of 100 within ${percentile(values, 0.99).toFixed(1)}`,
  );
console.log(
  `Live deliveries at ${PER_SECOND}/s over ${SECONDS} s; median (least–most) from sending to arrival`,
);
show('healthy target, quiet', quiet);
show(`healthy, ${RETRIES} retries to a dead one`, storm);
show('slow target, quiet', alone);
show(`slow, ${OWN_RETRIES} retries of its own`, among);
const ratios = [median(storm) / median(quiet), median(among) / median(alone)];
console.log(`moved ${ratios[0].toFixed(2)} ×; beside its own retries ${ratios[1].toFixed(2)} ×`);
console.log(`meanwhile ${tried} retries to the dead one were made, and ${sentAgain} to the slow one`);
if (ratios[0] >= 2) {
  console.error('The median live delivery moved by 2 × or more.');
  process.exitCode = 1;
}

function add(name, url, events, policy = {}) {
  return daemon.api('POST', '/targets', { name, url, events, policy: { ...POLICY, ...policy } });
}

function measure(type, place) {
  return latencies(daemon.hook, type, place, PER_SECOND, SECONDS);
}

function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
