// Events to two live targets: their CPU against the sum of the bare parts (one bare ack, two bare sends), and what a second
// core adds. Load and targets have the second core for themselves while the daemon has the first one; then they share it.
// Arguments: rounds (5), events per round (10000).
import { alternate, median } from './harness/figures.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendBare, sendNotifications, startBareServer, startReceiver } from './harness/load.mjs';
import { LOAD_CORE, SERVER_CORE, cpuMicroseconds, pin, scratchFolder, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { perUnit } from './harness/threads.mjs';

const [rounds = 5, count = 10_000] = process.argv.slice(2).map(Number);
const TARGETS = 2;
const CONNECTIONS = 64;
const BOTH_CORES = `${SERVER_CORE},${LOAD_CORE}`;

const bare = await startBareServer(SERVER_CORE);
const receiver = await startReceiver();
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
for (const name of ['first', 'second'])
  await daemon.api('POST', '/targets', {
    name,
    url: receiver.url(name),
    policy: { concurrency: CONNECTIONS },
  });
let [sent, acknowledged] = [0, 0];
await measureDaemon(SERVER_CORE);
await sendNotifications(bare.hook, count);

const results = await alternate(rounds, {
  bare: measureBare,
  one: () => measureDaemon(SERVER_CORE),
  two: () => measureDaemon(BOTH_CORES),
});
await checkLedger(daemon, { sent, acknowledged });
await daemon.close();
await stop(bare.child);
await stop(receiver.child);

const each = (value) => results.map(value);
const more = each(({ one, two }) => two.perSecond / one.perSecond);
/** The cores that load and targets left for the daemon. */
const left = each(({ two }) => 2 - two.loadBusy);
const share = median(each(({ one }) => one.loadBusy));
report({
  settings: { rounds, 'events per round': count, targets: TARGETS, connections: CONNECTIONS },
  rows: [
    {
      name: 'CPU ÷ (bare ack + 2 bare sends)',
      unit: '×',
      values: each(({ one, bare: { cpu } }) => one.cpu / cpu),
      digits: 2,
    },
    { name: 'events/s, two cores ÷ one', unit: '×', values: more, digits: 2 },
    { name: 'cores left for the daemon, of two', unit: 'cores', values: left, digits: 2 },
    {
      name: 'events/s ÷ events/s of one core, per core left',
      unit: '%',
      values: more.map((ratio, i) => (ratio / left[i]) * 100),
    },
    { name: 'bare parts', unit: 'µs CPU per event', values: each((round) => round.bare.cpu), digits: 1 },
    { name: 'one core', unit: 'µs CPU per event', values: each(({ one }) => one.cpu), digits: 1 },
    { name: 'two cores', unit: 'µs CPU per event', values: each(({ two }) => two.cpu), digits: 1 },
    {
      name: 'load and targets',
      unit: 'µs CPU per event',
      values: each(({ two }) => two.loadCpu),
      digits: 1,
    },
    { name: 'one core', unit: 'events/s', values: each(({ one }) => one.perSecond) },
    { name: 'two cores', unit: 'events/s', values: each(({ two }) => two.perSecond) },
  ],
  threads: each(({ one }) => one.threads),
  notes: [
    `Load and targets always run on core ${LOAD_CORE}. With one core, the daemon has core ${SERVER_CORE}, and they use ${(share * 100).toFixed(0)} % of theirs.`,
    `With two cores, the daemon may also use what they leave of core ${LOAD_CORE}: less than a whole core, so twice the events/s are out of reach here.`,
  ],
});

async function measureBare() {
  const before = cpuMicroseconds(bare.pid);
  await sendNotifications(bare.hook, count);
  const ack = (cpuMicroseconds(bare.pid) - before) / count;
  const { cpu } = await sendBare(SERVER_CORE, receiver.url('bare'), CONNECTIONS, count);
  return { cpu: ack + TARGETS * cpu };
}

/** Until the last delivery has arrived; the CPU includes what is put off. */
async function measureDaemon(cores) {
  pin(daemon.pid, cores);
  await receiver.reset();
  const before = daemon.threads();
  const targetsBefore = cpuMicroseconds(receiver.pid);
  const load = await sendNotifications(daemon.hook, count);
  const { lastAt } = await receiver.waitFor(TARGETS * count);
  const seconds = (lastAt - load.startedAt) / 1_000;
  const loadCpu = load.cpu + (cpuMicroseconds(receiver.pid) - targetsBefore) / count;
  await daemon.quiet();
  sent += count;
  acknowledged += load.acknowledged;
  const threads = perUnit(before, daemon.threads(), count);
  return {
    perSecond: count / seconds,
    cpu: threads.total,
    threads,
    loadCpu,
    loadBusy: (loadCpu * count) / 1e6 / seconds,
  };
}
