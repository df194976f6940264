// Starts, measures and stops the processes of a benchmark.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The core of what is measured, and that of load, targets and dashboards. */
export const SERVER_CORE = '0';
export const LOAD_CORE = '1';
/** Whether processes can be pinned to a core. */
export const PINNED = spawnSync('taskset', ['--version']).status === 0;
/** A process is quiet below this share of a core; a daemon with a hundred targets needs 5 % when idle. */
const QUIET_SHARE = 0.08;
const QUIET_STEP_MS = 300;
/** Longer than the pauses of the text index. */
const QUIET_STEPS = 8;
/** Of what a program printed before it ended early. */
const MAX_SHOWN = 4_000;
const QUIET_TIMEOUT_MS = 120_000;

// Each process and folder adds its own cleanup, which an ending by a signal would skip.
process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** The path of a program that benchmarks run as a process. */
export const program = (name) => join(import.meta.dirname, '..', 'programs', name);

/** Starts Node on some cores, such as '0' or '0,1'; null: on those of this process. */
function spawnNode(cores, args, stdio, env = {}, lastSignal = 'SIGKILL') {
  const command = [process.execPath, ...args.map(String)];
  if (PINNED && cores !== null) command.unshift('taskset', '-c', String(cores));
  const child = spawn(command[0], command.slice(1), { stdio, env: { ...process.env, ...env } });
  process.on('exit', () => child.kill(lastSignal));
  return child;
}

/** Starts a program that keeps running. @returns { child, found }, see `firstLine` */
export function startNode(cores, args, ready, env) {
  return firstLine(spawnNode(cores, args, ['pipe', 'pipe', 'pipe'], env), ready);
}

/**
 * Starts a program that can be asked, and that ends what it has started itself.
 * @returns { child, found }, see `firstLine`
 */
export function startProgram(cores, args, ready, env) {
  return firstLine(spawnNode(cores, args, ['pipe', 'pipe', 'inherit', 'ipc'], env, 'SIGTERM'), ready);
}

/** @returns { child, found } once `ready(line)` is truthy for a line that it prints; `found` is that value */
function firstLine(child, ready) {
  return new Promise((resolve, reject) => {
    let text = '';
    let errors = '';
    const onData = (chunk) => {
      text += chunk;
      const found = text.split('\n').slice(0, -1).map(ready).find(Boolean);
      if (!found) return;
      // Further output is discarded.
      child.stdout.off('data', onData).resume();
      resolve({ child, found });
    };
    child.stdout.on('data', onData);
    child.stderr?.on('data', (chunk) => (errors = (errors + chunk).slice(-MAX_SHOWN)));
    child.once('exit', (code) =>
      reject(new Error(`${child.spawnargs.join(' ')} ended early (${code}): ${text}${errors}`)),
    );
  });
}

/** Starts a program that prints `port <number>`. @returns { child, port } */
export async function startServer(cores, args, env) {
  const { child, found } = await startProgram(cores, args, (line) => /^port (\d+)/.exec(line)?.[1], env);
  return { child, port: Number(found) };
}

/** Sends a message to a program. @returns its response */
export async function ask(child, message) {
  child.send(message);
  return (await once(child, 'message'))[0];
}

/** Runs a program until it ends. @returns the JSON that it prints */
export async function runNode(cores, args) {
  const child = spawnNode(cores, args, ['ignore', 'pipe', 'inherit']);
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args[0]} ended with code ${code}.`);
  return JSON.parse(text);
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(timer);
}

/** Moves a process with all its threads to other cores. */
export function pin(pid, cores) {
  const { status } = spawnSync('taskset', ['-acp', cores, String(pid)]);
  if (status !== 0) throw new Error(`Process ${pid} could not be moved to core ${cores}.`);
}

/** CPU time of a process with all its threads, in microseconds (10 ms resolution). */
export function cpuMicroseconds(pid) {
  const [user, system] = statFields(pid).slice(11, 13);
  return (Number(user) + Number(system)) * 10_000;
}

/** The same of a process with all processes that it started, including those that have ended. */
export function treeCpuMicroseconds(pid) {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((id) => [id, statFields(id)])
      .filter(([, fields]) => fields.length > 0),
  );
  let sum = 0;
  for (const ids = [String(pid)]; ids.length > 0;) {
    const id = ids.pop();
    const fields = parents.get(id) ?? [];
    for (const ticks of fields.slice(11, 15)) sum += Number(ticks) * 10_000;
    for (const [child, [, parent]] of parents) if (parent === id) ids.push(child);
  }
  return sum;
}

/** CPU time of this process with all processes that it started and that have ended, in microseconds. */
export function ownCpuMicroseconds() {
  return statFields(process.pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0);
}

/** CPU time of the whole machine, including what its host took from it, in microseconds. */
export function machineCpuMicroseconds() {
  const [user, nice, system, , , interrupts, softInterrupts, stolen] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) * 10_000;
}

/** The fields of /proc/<pid>/stat from the state on; none of a process that has ended. */
function statFields(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** A figure of a process's memory, such as VmRSS (now) or VmHWM (at most), in MiB. */
export function memoryMiB(pid, figure = 'VmRSS') {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)[1]) / 1_024;
}

/** Waits until a process has done all that it had put off. */
export async function quiet(pid) {
  const end = performance.now() + QUIET_TIMEOUT_MS;
  let last = cpuMicroseconds(pid);
  for (let steps = 0; steps < QUIET_STEPS;) {
    if (performance.now() > end) throw new Error(`Process ${pid} was still busy after 2 minutes.`);
    await pause(QUIET_STEP_MS);
    const now = cpuMicroseconds(pid);
    steps = now - last <= QUIET_SHARE * QUIET_STEP_MS * 1_000 ? steps + 1 : 0;
    last = now;
  }
}

export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until `condition` returns a truthy value, and returns it. @throws Error after `withinMs` */
export async function until(condition, what, withinMs = 20_000) {
  for (const end = Date.now() + withinMs; Date.now() < end;) {
    const found = await condition();
    if (found) return found;
    await pause(50);
  }
  throw new Error(`Waited in vain for ${what}.`);
}

/** The trimmed content of a file; null if it does not exist. */
export const readIfExists = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null);
