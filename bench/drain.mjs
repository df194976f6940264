// A backlog delivered to one target, against a loop that only signs and sends (undici) on the same core, over as many
// connections to the same target. Arguments: rounds (5), deliveries per round (15000).
import { alternate } from './harness/figures.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendBare, sendNotifications, startReceiver } from './harness/load.mjs';
import { SERVER_CORE, scratchFolder, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { perUnit } from './harness/threads.mjs';

const [rounds = 5, count = 15_000] = process.argv.slice(2).map(Number);
/** The most that a target's policy allows. */
const CONNECTIONS = 64;
const WARM_UP = 5_000;

const receiver = await startReceiver();
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
const target = await daemon.api('POST', '/targets', {
  name: 'target',
  url: receiver.url('target'),
  policy: { concurrency: CONNECTIONS },
});
let acknowledged = 0;
await drain(WARM_UP);

const results = await alternate(rounds, {
  bare: () => sendBare(SERVER_CORE, receiver.url('bare'), CONNECTIONS, count),
  hub: () => drain(count),
});
await checkLedger(daemon, { sent: WARM_UP + rounds * count, acknowledged });
await daemon.close();
await stop(receiver.child);

const of = (side, figure) => results.map((round) => round[side][figure]);
const ratio = (figure) => results.map(({ hub, bare }) => hub[figure] / bare[figure]);
report({
  settings: { rounds, 'deliveries per round': count, connections: CONNECTIONS },
  rows: [
    { name: 'deliveries/s ÷ bare', unit: '%', values: ratio('perSecond').map((r) => r * 100) },
    { name: 'CPU ÷ bare', unit: '×', values: ratio('cpu'), digits: 2 },
    { name: 'bare', unit: 'requests/s', values: of('bare', 'perSecond') },
    { name: 'backlog', unit: 'deliveries/s', values: of('hub', 'perSecond') },
    { name: 'bare CPU', unit: 'µs each', values: of('bare', 'cpu'), digits: 1 },
    { name: 'delivery CPU', unit: 'µs each', values: of('hub', 'cpu'), digits: 1 },
  ],
  threads: of('hub', 'threads'),
});

/** Builds up a backlog, then delivers it. */
async function drain(deliveries) {
  await daemon.api('POST', `/targets/${target.id}/pause`);
  acknowledged += (await sendNotifications(daemon.hook, deliveries)).acknowledged;
  await daemon.quiet();
  await receiver.reset();
  const before = daemon.threads();
  const startedAt = Date.now();
  await daemon.api('POST', `/targets/${target.id}/resume`);
  const { lastAt } = await receiver.waitFor(deliveries);
  await daemon.quiet();
  const threads = perUnit(before, daemon.threads(), deliveries);
  return { perSecond: (deliveries / (lastAt - startedAt)) * 1_000, cpu: threads.total, threads };
}
