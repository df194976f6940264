// How many events a second a target with `ordering: strict` gets of its backlog, against 1 / (a round trip to the same
// receiver + one synced commit on the same disk), taken before each round. Arguments: rounds (5), events a round (1000).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectedDaemon } from './connected-daemon.mjs';
import { median, spread } from './figures.mjs';
import { notify, recordingPlace } from './live-traffic.mjs';
import { scratchFolder, until } from './processes.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const EVENTS = Number(process.argv[3] ?? 1_000);
const SENT_AT_ONCE = 50;
const SERVER_CORE = 0;

const folder = scratchFolder();
const daemon = await connectedDaemon(SERVER_CORE, folder);
const place = await recordingPlace();
const { id } = await daemon.api('POST', '/targets', {
  name: 'strict',
  url: place.url,
  events: ['strict.*'],
  policy: { ordering: 'strict' },
});

const rounds = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const { roundTrips, commits } = await baseline();
  const intervals = await drain();
  // The first one warms up.
  if (round > 0) rounds.push({ mean: figures(mean), median: figures(median) });

  function figures(of) {
    const [roundTrip, commit, interval] = [roundTrips, commits, intervals].map(of);
    return { roundTrip, commit, interval, part: ((roundTrip + commit) / interval) * 100 };
  }
}
await daemon.close();
await place.close();

console.log(`${ROUNDS} rounds of ${EVENTS} events in strict order; median (least–most) of the rounds`);
for (const of of ['mean', 'median']) {
  const column = (name) => rounds.map((round) => round[of][name]);
  console.log(`by the ${of} of each round`);
  console.log(`  round trip           ${spread(column('roundTrip'), 2)} ms`);
  console.log(`  synced commit        ${spread(column('commit'), 2)} ms`);
  console.log(`  from event to event  ${spread(column('interval'), 2)} ms`);
  console.log(`  of 1 / (the first two) ${spread(column('part'))} %`);
}
const part = median(rounds.map((round) => round.mean.part));
if (part < 60) {
  console.error('Less than 60 % of 1 / (round trip + synced commit).');
  process.exitCode = 1;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function baseline() {
  const script = join(import.meta.dirname, 'strict-baseline.mjs');
  const args = [
    '-c',
    String(SERVER_CORE),
    process.execPath,
    script,
    place.url,
    join(folder, 'baseline.db'),
    String(EVENTS),
  ];
  const child = spawn('taskset', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await once(child, 'exit');
  return JSON.parse(text);
}

/** Lets a backlog gather, then go. @returns from each arrival to the next, in ms */
async function drain() {
  await daemon.api('POST', `/targets/${id}/pause`);
  const nonces = [];
  for (let sent = 0; sent < EVENTS; sent += SENT_AT_ONCE) {
    const some = await Promise.all(
      Array.from({ length: Math.min(SENT_AT_ONCE, EVENTS - sent) }, () =>
        notify(daemon.hook, 'strict.event'),
      ),
    );
    nonces.push(...some.map(({ nonce }) => nonce));
  }
  await daemon.api('POST', `/targets/${id}/resume`);
  await until(() => nonces.every((nonce) => place.arrivals.has(nonce)), 'all events', 120_000);
  const times = nonces.map((nonce) => place.arrivals.get(nonce)).sort((one, other) => one - other);
  return times.slice(1).map((time, i) => time - times[i]);
}
