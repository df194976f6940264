// Runs benchmarks, one after the other, because concurrent ones would slow each other down. Arguments: `--list`; a name and
// the arguments of that benchmark, which are described at the top of its file; none: all of the default run. Writes what
// they measured to `results/`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import {
  machineCpuMicroseconds,
  ownCpuMicroseconds,
  readIfExists,
  scratchFolder,
} from './harness/processes.mjs';

const DEFAULT_RUN = ['install', 'start', 'ack', 'drain', 'live', 'latency', 'busy', 'contenders'];
/** Limits a run that hangs. */
const TIMEOUT_MS = { default: 300_000, byName: 5_400_000 };
const BUILT = join(import.meta.dirname, '..', 'dist', 'main.js');

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.mjs') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.mjs'));
if (name === '--list') list();
else if (name !== undefined && !names.includes(name))
  fail(`There is no benchmark ${name}; --list shows all.`);
else if (!existsSync(BUILT)) fail('Run `npm run build` first.');
else if (!existsSync('/proc/self/schedstat'))
  fail('The benchmarks read CPU times from /proc, which needs Linux.');
else await runAll(name === undefined ? DEFAULT_RUN : [name]);

async function runAll(selected) {
  const folder = scratchFolder();
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const machine = describeMachine();
  const loadBefore = loadavg();
  const benchmarks = [];
  for (const one of selected) {
    console.log(`\n# ${one}`);
    const { result, seconds, others, code } = await runOne(one, join(folder, `${one}.json`));
    console.log(`  ${seconds} s; other programs used ${others.toFixed(2)} of ${machine.cpus} cores`);
    if (code !== 0) {
      console.error(`${one} failed.`);
      process.exitCode = 1;
    }
    benchmarks.push({ name: one, ok: code === 0, seconds, others, ...result });
  }
  const results = join(import.meta.dirname, 'results');
  mkdirSync(results, { recursive: true });
  const file = join(results, `${startedAt.replace(/[:.]/g, '-')}.json`);
  const summary = { startedAt, ...machine, loadBefore, loadAfter: loadavg(), benchmarks };
  writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
  const minutes = (performance.now() - started) / 60_000;
  console.log(
    `\n${minutes.toFixed(1)} minutes; load ${loadBefore[0].toFixed(1)} before, ${loadavg()[0].toFixed(1)} after`,
  );
  console.log(
    `${machine.cpus} × ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}, commit ${machine.commit}`,
  );
  console.log(`Results: ${file}`);
}

/** @returns `others`: the cores that other programs used meanwhile; above 0.1 or so, expect wide ranges */
async function runOne(one, resultFile) {
  const started = performance.now();
  const othersBefore = machineCpuMicroseconds() - ownCpuMicroseconds();
  const child = spawn(process.execPath, [join(import.meta.dirname, `${one}.mjs`), ...args], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_RESULT: resultFile },
  });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const timer = setTimeout(end, name === undefined ? TIMEOUT_MS.default : TIMEOUT_MS.byName);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  process.off('exit', end);
  const result = JSON.parse(readIfExists(resultFile) ?? '{}');
  const seconds = (performance.now() - started) / 1_000;
  const others = (machineCpuMicroseconds() - ownCpuMicroseconds() - othersBefore) / 1e6 / seconds;
  return { result, seconds: Math.round(seconds), others: Math.max(0, others), code };
}

function describeMachine() {
  const git = spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return {
    cpu: cpus()[0]?.model,
    cpus: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    commit: git.stdout?.trim(),
  };
}

/** The name of each benchmark with the first sentence of its file. */
function list() {
  for (const one of names.sort((a, b) => order(a) - order(b) || a.localeCompare(b))) {
    const comment = /^((?:\/\/.*\n)+)/.exec(
      readFileSync(join(import.meta.dirname, `${one}.mjs`), 'utf8'),
    )?.[1];
    const text = comment.replace(/^\/\/ /gm, '').replace(/\n/g, ' ');
    const kind = DEFAULT_RUN.includes(one) ? '*' : ' ';
    console.log(`${kind} ${one.padEnd(20)} ${text.slice(0, text.search(/[.:] |\.$/))}`);
  }
  console.log('* part of the default run');
}

function order(one) {
  const place = DEFAULT_RUN.indexOf(one);
  return place < 0 ? DEFAULT_RUN.length : place;
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
