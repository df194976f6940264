// The cost of a start of the daemon, from spawning the process to listening: CPU of all threads, time, and memory when idle,
// against a bare `node -e`. A first start creates the data; a restart finds it. Arguments: rounds (5); the main.js of
// another build to compare, which takes turns with this one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { alternate, median } from './harness/figures.mjs';
import { cpuMicroseconds, memoryMiB, pause, scratchFolder, startNode, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';

const [rounds = 5, other] = process.argv.slice(2);
const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
const SETTINGS = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  COPILOT_BASE_URL: 'http://127.0.0.1:9',
  COPILOT_CLIENT_ID: 'bench',
  COPILOT_CLIENT_SECRET: 'bench-secret',
};
/** By then, an idle daemon has collected the garbage of its start, and ended its idle threads. */
const IDLE_AFTER_MS = 56_000;

const results = await alternate(Number(rounds), {
  bare: startBare,
  hub: () => startTwice(MAIN),
  ...(other && { other: () => startTwice(other) }),
});

const column = (value) => results.map(value);
const rowsOf = (side, label) => [
  {
    name: `${label}restart: CPU ÷ bare`,
    unit: '×',
    values: column((round) => round[side].again.cpu / round.bare.cpu),
    digits: 1,
  },
  {
    name: `${label}restart: time to listening ÷ bare`,
    unit: '×',
    values: column((round) => round[side].again.wall / round.bare.wall),
    digits: 1,
  },
  { name: `${label}idle memory`, unit: 'MiB', values: column((round) => round[side].again.memory) },
  { name: `${label}restart: CPU`, unit: 'ms', values: column((round) => round[side].again.cpu) },
  { name: `${label}restart: listening after`, unit: 'ms', values: column((round) => round[side].again.wall) },
  { name: `${label}first start: CPU`, unit: 'ms', values: column((round) => round[side].first.cpu) },
  {
    name: `${label}first start: listening after`,
    unit: 'ms',
    values: column((round) => round[side].first.wall),
  },
];
report({
  settings: { rounds },
  rows: [
    ...rowsOf('hub', ''),
    ...(other ? rowsOf('other', 'other build: ') : []),
    { name: 'bare: CPU', unit: 'ms', values: column(({ bare }) => bare.cpu), digits: 1 },
    { name: 'bare: time', unit: 'ms', values: column(({ bare }) => bare.wall), digits: 1 },
  ],
  notes: [`Idle memory of bare node: ${median(column(({ bare }) => bare.memory)).toFixed(0)} MiB.`],
});

/** A bare process exits before it can be measured from outside, so it measures itself. */
async function startBare() {
  const script = 'process.stdout.write(JSON.stringify([process.cpuUsage(), process.memoryUsage.rss()]))';
  const started = performance.now();
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await once(child.stdout, 'data');
  const wall = performance.now() - started;
  await once(child, 'close');
  const [{ user, system }, rss] = JSON.parse(text);
  return { cpu: (user + system) / 1_000, wall, memory: rss / 2 ** 20 };
}

async function startTwice(main) {
  const folder = scratchFolder();
  return { first: await startDaemon(main, folder, 0), again: await startDaemon(main, folder, IDLE_AFTER_MS) };
}

async function startDaemon(main, folder, idleMs) {
  const started = performance.now();
  const { child } = await startNode(
    null,
    [main, 'serve', '--port', '0', '--data-dir', folder],
    (line) => line.includes('"listening"'),
    SETTINGS,
  );
  const wall = performance.now() - started;
  const cpu = cpuMicroseconds(child.pid) / 1_000;
  await pause(idleMs);
  const memory = memoryMiB(child.pid);
  await stop(child);
  return { wall, cpu, memory };
}
