// Notifications that are verified, committed with two deliveries each, synced to disk and acknowledged, against a bare
// node:http server that responds with 200 on the same core. Arguments: rounds (5), notifications per round (20000).
import { alternate } from './harness/figures.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendNotifications, startBareServer } from './harness/load.mjs';
import { SERVER_CORE, cpuMicroseconds, scratchFolder, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { perUnit } from './harness/threads.mjs';

const [rounds = 5, count = 20_000] = process.argv.slice(2).map(Number);
const WARM_UP = 10_000;

const bare = await startBareServer(SERVER_CORE);
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
for (const name of ['first', 'second']) {
  const { id } = await daemon.api('POST', '/targets', { name, url: 'http://127.0.0.1:9/' });
  await daemon.api('POST', `/targets/${id}/pause`);
}
await sendNotifications(bare.hook, WARM_UP);
let { acknowledged } = await sendNotifications(daemon.hook, WARM_UP);
await daemon.quiet();

const results = await alternate(rounds, { bare: measureBare, hub: measureDaemon });
const { ack_ms: ackMs } = await daemon.api('GET', '/stats');
await checkLedger(daemon, { sent: WARM_UP + rounds * count, acknowledged });
await daemon.close();
await stop(bare.child);

const of = (side, figure) => results.map((round) => round[side][figure]);
const ratio = (figure) => results.map(({ hub, bare: base }) => hub[figure] / base[figure]);
report({
  settings: { rounds, 'notifications per round': count, connections: 64, targets: 'two, paused' },
  rows: [
    { name: 'ack: CPU ÷ bare', unit: '×', values: ratio('cpu'), digits: 2 },
    { name: 'ack: requests/s ÷ bare', unit: '%', values: ratio('perSecond').map((r) => r * 100) },
    { name: 'bare CPU', unit: 'µs each', values: of('bare', 'cpu'), digits: 1 },
    { name: 'ack CPU', unit: 'µs each', values: of('hub', 'cpu'), digits: 1 },
    { name: 'bare', unit: 'requests/s', values: of('bare', 'perSecond') },
    { name: 'ack', unit: 'requests/s', values: of('hub', 'perSecond') },
    { name: 'load generator, bare', unit: 'of its core', values: of('bare', 'busy'), digits: 2 },
    { name: 'load generator, ack', unit: 'of its core', values: of('hub', 'busy'), digits: 2 },
  ],
  threads: of('hub', 'threads'),
  notes: [`Under this load, an ack took p50 ${ackMs.p50} ms, p99 ${ackMs.p99} ms within the daemon.`],
});

async function measureBare() {
  const before = cpuMicroseconds(bare.pid);
  const load = await sendNotifications(bare.hook, count);
  return { ...load, cpu: (cpuMicroseconds(bare.pid) - before) / count };
}

/** The CPU includes what is put off: checkpoints, indexes, garbage. */
async function measureDaemon() {
  const before = daemon.threads();
  const load = await sendNotifications(daemon.hook, count);
  await daemon.quiet();
  acknowledged += load.acknowledged;
  const threads = perUnit(before, daemon.threads(), count);
  return { ...load, cpu: threads.total, threads };
}
