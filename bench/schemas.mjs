// Learning the schemas of payloads: what it takes, and acknowledgements next to it, at a steady rate, against a daemon
// that learns nothing. Arguments: rounds (6), notifications per second (5000), seconds of each side per round (10).
import { alternate } from './harness/figures.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendNotifications } from './harness/load.mjs';
import { SERVER_CORE, cpuMicroseconds, scratchFolder, until } from './harness/processes.mjs';
import { report } from './harness/report.mjs';

const [rounds = 6, perSecond = 5_000, seconds = 10] = process.argv.slice(2).map(Number);
const EXAMINED_WITHIN_MS = 300_000;
const WARM_UP = 5_000;

const sides = {};
for (const watch of ['on', 'off']) {
  const daemon = await connectedDaemon(SERVER_CORE, scratchFolder(), {
    settings: { SWITCHBOARD_CONTRACT_WATCH: watch },
  });
  const { acknowledged } = await sendNotifications(daemon.hook, WARM_UP, perSecond);
  sides[watch] = { daemon, acknowledged };
}
const results = await alternate(rounds, { on: () => measure(sides.on), off: () => measure(sides.off) });
const type = await until(
  async () => {
    const [found] = (await sides.on.daemon.api('GET', '/types')).data;
    return found?.events === sides.on.acknowledged && found;
  },
  'the end of the examination',
  EXAMINED_WITHIN_MS,
);
for (const { daemon, acknowledged } of Object.values(sides)) {
  await checkLedger(daemon, { sent: WARM_UP + rounds * perSecond * seconds, acknowledged });
  await daemon.close();
}

const ratio = (figure) => results.map(({ on, off }) => figure(on) / figure(off));
const of = (figure) => results.map(({ on }) => figure(on));
report({
  settings: { rounds, 'notifications per second': perSecond, 'seconds each': seconds },
  rows: [
    { name: 'CPU, on ÷ off', unit: '×', values: ratio(({ cpu }) => cpu), digits: 2 },
    { name: 'ack p50, on ÷ off', unit: '×', values: ratio(({ ackMs }) => ackMs.p50), digits: 2 },
    { name: 'ack p99, on ÷ off', unit: '×', values: ratio(({ ackMs }) => ackMs.p99), digits: 2 },
    { name: 'the thread', unit: '% of a core', values: of(({ share }) => share * 100), digits: 2 },
    { name: 'CPU, on', unit: 'µs each', values: of(({ cpu }) => cpu), digits: 1 },
    { name: 'sent, on', unit: 'per second', values: of((load) => load.perSecond) },
    { name: 'ack p99, on', unit: 'ms', values: of(({ ackMs }) => ackMs.p99), digits: 1 },
    { name: 'ack p99, off', unit: 'ms', values: results.map(({ off }) => off.ackMs.p99), digits: 1 },
  ],
  notes: [`Of ${type.events} events, ${type.examined} were examined.`],
});

/** The CPU is that of the load, and of what is put off for some seconds; the share of the thread that during the load. */
async function measure(side) {
  const { daemon } = side;
  const [cpuBefore, threadBefore] = [cpuMicroseconds(daemon.pid), threadTime(daemon)];
  const load = await sendNotifications(daemon.hook, perSecond * seconds, perSecond);
  const thread = threadTime(daemon) - threadBefore;
  await daemon.quiet();
  side.acknowledged += load.acknowledged;
  const count = perSecond * seconds;
  return {
    ...load,
    cpu: (cpuMicroseconds(daemon.pid) - cpuBefore) / count,
    share: (thread / 1e6 / count) * load.perSecond,
  };
}

function threadTime(daemon) {
  return daemon.threads().schemas ?? 0;
}
