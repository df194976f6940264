// How the CPU per event grows with the events that are stored, with targets, and with open dashboards, against a bare
// node:http server that responds with 200. Also draws `results/growth.svg`. Arguments: most stored events (1000000),
// rounds (3).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectedDaemon } from './harness/daemon.mjs';
import { openDashboards } from './harness/dashboards.mjs';
import { alternate, median } from './harness/figures.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendSteadily } from './harness/live-traffic.mjs';
import { sendNotifications, startBareServer, startReceiver } from './harness/load.mjs';
import { drawPlot } from './harness/plot.mjs';
import { SERVER_CORE, cpuMicroseconds, scratchFolder, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { skipTextIndex, storeFinished } from './harness/stored-events.mjs';
import { perUnit } from './harness/threads.mjs';

const [most = 1_000_000, rounds = 3] = process.argv.slice(2).map(Number);
const STORED = [10_000, 100_000, 1_000_000, 5_000_000].filter((count) => count <= most);
const EVENTS = 5_000;
/** Events by the number of targets, so that each takes about as long. */
const EVENTS_TO = { 1: 5_000, 10: 2_000, 100: 300 };
const DASHBOARDS = [0, 1, 10, 100];
/** So low that this machine can also run a hundred dashboards. */
const DASHBOARD_RATE = { perSecond: 100, seconds: 6 };
const STORE_AT_ONCE = 500_000;

const bare = await startBareServer(SERVER_CORE);
const receiver = await startReceiver();
const folder = scratchFolder();
const curves = [await measureStored(), await measureTargets(), await measureDashboards()];
await stop(bare.child);
await stop(receiver.child);

const points = curves.flatMap(({ title, of }) =>
  of.map((point) => ({ ...point, name: `${point.x} ${title}` })),
);
report({
  settings: { rounds, unit: 'CPU of all threads per event' },
  rows: points.flatMap(({ name, results }) => [
    { name, unit: 'µs', values: results.map(({ cpu }) => cpu) },
    { name: `${name} ÷ bare`, unit: '×', values: results.map((one) => one.cpu / one.bare), digits: 1 },
  ]),
  notes: points.map(({ name, results }) => `${name}: ${threadsOf(results)}`),
  data: { curves: curves.map(({ title, of }) => ({ title, points: of })) },
});
const panels = curves.map(({ title, of }) => ({
  title,
  // A logarithmic axis has no 0.
  points: of.filter(({ x }) => x > 0).map(({ x, results }) => ({ x, values: results.map(({ cpu }) => cpu) })),
}));
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
writeFileSync(join(import.meta.dirname, 'results', 'growth.svg'), drawPlot('µs CPU per event', panels));

/** Events to one live target, by how many events are stored. */
async function measureStored() {
  return await measure('stored events', STORED, async (stored) => {
    const daemon = await startDaemon(1);
    await daemon.quiet();
    await daemon.restart((dataDir) => {
      for (let left = stored; left > 0; left -= STORE_AT_ONCE)
        storeFinished(dataDir, 1, Math.min(left, STORE_AT_ONCE), Date.now());
      skipTextIndex(dataDir);
    });
    return { daemon, send: () => sendAll(daemon, EVENTS, 1) };
  });
}

/** Events to many live targets. */
async function measureTargets() {
  return await measure('targets', Object.keys(EVENTS_TO).map(Number), async (targets) => {
    const daemon = await startDaemon(targets);
    return { daemon, send: () => sendAll(daemon, EVENTS_TO[targets], targets) };
  });
}

/** Events to one live target at a steady rate, with open dashboards. */
async function measureDashboards() {
  const daemon = await startDaemon(1);
  return await measure('dashboards', DASHBOARDS, (count) => ({
    daemon,
    send: async () => {
      const dashboards = count > 0 ? await openDashboards(daemon, count) : null;
      const before = daemon.threads();
      const { ack } = await sendSteadily(daemon.hook, 'deal.updated', DASHBOARD_RATE);
      await daemon.quiet();
      const threads = perUnit(before, daemon.threads(), ack.length);
      await dashboards?.close();
      return { sent: ack.length, acknowledged: ack.length, threads };
    },
  }));
}

/** @param prepare returns for a value of x the daemon, and `send`, which measures once */
async function measure(title, values, prepare) {
  const prepared = [];
  for (const x of values) prepared.push({ x, ...(await prepare(x)), totals: { sent: 0, acknowledged: 0 } });
  for (const one of prepared) await measureOnce(one);
  const results = await alternate(
    rounds,
    Object.fromEntries(prepared.map((one) => [one.x, () => measureOnce(one)])),
  );
  for (const daemon of new Set(prepared.map((one) => one.daemon))) {
    const own = prepared.filter((one) => one.daemon === daemon).map(({ totals }) => totals);
    const sum = (figure) => own.reduce((total, one) => total + one[figure], 0);
    await checkLedger(daemon, { sent: sum('sent'), acknowledged: sum('acknowledged') });
    await daemon.close();
  }
  return { title, of: values.map((x) => ({ x, results: results.map((round) => round[x]) })) };
}

async function measureOnce({ daemon, send, totals }) {
  await daemon.quiet();
  const before = cpuMicroseconds(bare.pid);
  await sendNotifications(bare.hook, EVENTS);
  const bareCpu = (cpuMicroseconds(bare.pid) - before) / EVENTS;
  const { sent, acknowledged, threads } = await send();
  totals.sent += sent;
  totals.acknowledged += acknowledged;
  return { cpu: threads.total, threads, bare: bareCpu };
}

async function startDaemon(targets) {
  const daemon = await connectedDaemon(SERVER_CORE, folder);
  for (let i = 1; i <= targets; i += 1)
    await daemon.api('POST', '/targets', { name: `target ${i}`, url: receiver.url(`target-${i}`) });
  return daemon;
}

/** Until the last delivery has arrived; the CPU includes what is put off. */
async function sendAll(daemon, count, targets) {
  await receiver.reset();
  const before = daemon.threads();
  const { acknowledged } = await sendNotifications(daemon.hook, count);
  await receiver.waitFor(count * targets);
  await daemon.quiet();
  return { sent: count, acknowledged, threads: perUnit(before, daemon.threads(), count) };
}

function threadsOf(results) {
  const names = Object.keys(results[0].threads).filter((name) => name !== 'total');
  const times = names.map((name) => [name, median(results.map(({ threads }) => threads[name] ?? 0))]);
  times.sort(([, a], [, b]) => b - a);
  return times.map(([name, time]) => `${name} ${time.toFixed(0)}`).join(', ');
}
