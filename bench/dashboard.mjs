// What an open dashboard adds per event, in CPU of all threads of the daemon, at a steady rate of events to two targets.
// Arguments: rounds (6), seconds of each side per round (8), notifications per second (100), dashboards (1).
import { openDashboards } from './harness/dashboards.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { alternate } from './harness/figures.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { recordingReceiver, sendSteadily } from './harness/live-traffic.mjs';
import { SERVER_CORE, scratchFolder } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { perUnit } from './harness/threads.mjs';

const [rounds = 6, seconds = 8, perSecond = 100, dashboards = 1] = process.argv.slice(2).map(Number);

const receiver = await recordingReceiver();
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
for (const name of ['first', 'second'])
  await daemon.api('POST', '/targets', { name, url: `${receiver.url}${name}` });
await measure();

const results = await alternate(rounds, { without: measure, open: measureOpen });
const sent = (2 * rounds + 1) * Math.round(perSecond * seconds);
await checkLedger(daemon, { sent, acknowledged: sent });
await daemon.close();
await receiver.close();

const cpu = (side) => results.map((round) => round[side].total);
const column = (name, values) => ({ name, unit: 'µs CPU per event', values, digits: 0 });
report({
  settings: { rounds, dashboards, 'notifications per second': perSecond, 'seconds each': seconds },
  rows: [
    column(
      'an open dashboard adds',
      results.map(({ open, without }) => (open.total - without.total) / dashboards),
    ),
    column('without one', cpu('without')),
    column('with it', cpu('open')),
  ],
});

async function measure() {
  const before = daemon.threads();
  await sendSteadily(daemon.hook, 'deal.created', { receiver, perSecond, seconds });
  return perUnit(before, daemon.threads(), perSecond * seconds);
}

async function measureOpen() {
  const open = await openDashboards(daemon, dashboards);
  const used = await measure();
  await open.close();
  return used;
}
