// Acknowledgements at a steady rate while a large backlog drains and dashboards are open, against those of the same daemon
// when it has nothing else to do. Arguments: rounds (5), queued deliveries (1000000), seconds of each side per round (5),
// notifications per second (100), dashboards (3).
import { openDashboards } from './harness/dashboards.mjs';
import { alternate, percentile } from './harness/figures.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { startReceiver } from './harness/load.mjs';
import { sendSteadily } from './harness/live-traffic.mjs';
import { SERVER_CORE, scratchFolder, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { skipTextIndex, storeDeliveries } from './harness/stored-events.mjs';

const [rounds = 5, queued = 1_000_000, seconds = 5, perSecond = 100, dashboards = 3] = process.argv
  .slice(2)
  .map(Number);

const receiver = await startReceiver();
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
// The notifications match neither target, so that they differ in nothing but what happens next to them.
const backlog = await daemon.api('POST', '/targets', {
  name: 'backlog',
  url: receiver.url('backlog'),
  events: ['nothing.*'],
});
await daemon.api('POST', `/targets/${backlog.id}/pause`);
// By then the text index has its file.
await daemon.quiet();
await daemon.restart((dataDir) => {
  const pending = { state: `'pending'`, ofClass: 0, attempts: 0, dueAt: Date.now(), lane: 'NULL' };
  storeDeliveries(dataDir, 1, queued, pending);
  skipTextIndex(dataDir);
});
await daemon.quiet();
let acknowledged = 0;
await measure();

const results = await alternate(rounds, { alone: measure, busy: measureBusy });
const { deliveries } = await receiver.read();
await checkLedger(daemon, {
  sent: acknowledged,
  acknowledged,
  received: deliveries,
});
await daemon.close();
await stop(receiver.child);

const column = (side, part) => results.map((round) => percentile(round[side].ack, part));
const pooled = (side, part) =>
  percentile(
    results.flatMap((round) => round[side].ack),
    part,
  );
const ratio = (part) =>
  results.map(({ busy, alone }) => percentile(busy.ack, part) / percentile(alone.ack, part));
report({
  settings: { rounds, queued, dashboards, 'notifications per second': perSecond, 'seconds each': seconds },
  rows: [
    { name: 'ack p99, busy ÷ alone', unit: '×', values: ratio(0.99), digits: 2 },
    {
      name: 'ack p99 of all rounds, busy ÷ alone',
      unit: '×',
      values: [pooled('busy', 0.99) / pooled('alone', 0.99)],
      digits: 2,
    },
    { name: 'ack p50, busy ÷ alone', unit: '×', values: ratio(0.5), digits: 2 },
    { name: 'alone: ack p50', unit: 'ms', values: column('alone', 0.5), digits: 2 },
    { name: 'alone: ack p99', unit: 'ms', values: column('alone', 0.99), digits: 2 },
    { name: 'busy: ack p50', unit: 'ms', values: column('busy', 0.5), digits: 2 },
    { name: 'busy: ack p99', unit: 'ms', values: column('busy', 0.99), digits: 2 },
    { name: 'meanwhile', unit: 'deliveries/s', values: results.map(({ busy }) => busy.perSecond) },
  ],
  notes: [
    `${deliveries} of ${queued} queued deliveries arrived in the busy periods, ${queued - deliveries} are still queued.`,
  ],
});

async function measure() {
  const { ack } = await sendSteadily(daemon.hook, 'live.event', { perSecond, seconds });
  acknowledged += ack.length;
  return { ack };
}

async function measureBusy() {
  const open = await openDashboards(daemon, dashboards);
  const before = await receiver.read();
  const started = performance.now();
  await daemon.api('POST', `/targets/${backlog.id}/resume`);
  const result = await measure();
  const after = await receiver.read();
  const elapsed = (performance.now() - started) / 1_000;
  if (after.deliveries === queued) throw new Error('Everything was delivered too soon: queue more.');
  await daemon.api('POST', `/targets/${backlog.id}/pause`);
  await open.close();
  await daemon.quiet();
  return { ...result, perSecond: (after.deliveries - before.deliveries) / elapsed };
}
