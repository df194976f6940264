// Events per second delivered from the backlog of a target with `ordering: strict`, against 1 / (a round trip to the same
// receiver + one synced commit on the same disk), measured before each round. Arguments: rounds (5), events per round (1000).
import { join } from 'node:path';
import { connectedDaemon } from './harness/daemon.mjs';
import { median, spread } from './harness/figures.mjs';
import { notify, recordingReceiver } from './harness/live-traffic.mjs';
import { SERVER_CORE, program, runNode, scratchFolder, until } from './harness/processes.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const EVENTS = Number(process.argv[3] ?? 1_000);
const BATCH_SIZE = 50;

const folder = scratchFolder();
const daemon = await connectedDaemon(SERVER_CORE, folder);
const receiver = await recordingReceiver();
const { id } = await daemon.api('POST', '/targets', {
  name: 'strict',
  url: receiver.url,
  events: ['strict.*'],
  policy: { ordering: 'strict' },
});

const rounds = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const { roundTrips, commits } = await baseline();
  const intervals = await drain();
  // The first round is a warm-up.
  if (round > 0) rounds.push({ mean: summarize(mean), median: summarize(median) });

  function summarize(statistic) {
    const [roundTrip, commit, interval] = [roundTrips, commits, intervals].map(statistic);
    return { roundTrip, commit, interval, share: ((roundTrip + commit) / interval) * 100 };
  }
}
await daemon.close();
await receiver.close();

console.log(`${ROUNDS} rounds of ${EVENTS} events in strict order; median (minimum–maximum) of the rounds`);
for (const statistic of ['mean', 'median']) {
  const column = (name) => rounds.map((round) => round[statistic][name]);
  console.log(`${statistic} of each round`);
  console.log(`  round trip           ${spread(column('roundTrip'), 2)} ms`);
  console.log(`  synced commit        ${spread(column('commit'), 2)} ms`);
  console.log(`  from event to event  ${spread(column('interval'), 2)} ms`);
  console.log(`  share of 1 / (round trip + commit) ${spread(column('share'))} %`);
}
const share = median(rounds.map((round) => round.mean.share));
if (share < 60) {
  console.error('Less than 60 % of 1 / (round trip + synced commit).');
  process.exitCode = 1;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function baseline() {
  const args = [program('strict-baseline.mjs'), receiver.url, join(folder, 'baseline.db'), EVENTS];
  return runNode(SERVER_CORE, args);
}

/** Builds up a backlog, then delivers it. @returns the intervals between arrivals, in ms */
async function drain() {
  await daemon.api('POST', `/targets/${id}/pause`);
  const nonces = [];
  for (let sent = 0; sent < EVENTS; sent += BATCH_SIZE) {
    const some = await Promise.all(
      Array.from({ length: Math.min(BATCH_SIZE, EVENTS - sent) }, () => notify(daemon.hook, 'strict.event')),
    );
    nonces.push(...some.map(({ nonce }) => nonce));
  }
  await daemon.api('POST', `/targets/${id}/resume`);
  await until(() => nonces.every((nonce) => receiver.arrivals.has(nonce)), 'all events', 120_000);
  const times = nonces.map((nonce) => receiver.arrivals.get(nonce)).sort((one, other) => one - other);
  return times.slice(1).map((time, i) => time - times[i]);
}
