// Starting and measuring the processes of a benchmark.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PINNED = spawnSync('taskset', ['--version']).status === 0;

/** Starts node on one core; resolves with the process once `ready(line)` is true of a line it prints. */
export function startNode(core, args, ready, env = {}) {
  const command = PINNED
    ? ['taskset', '-c', String(core), process.execPath, ...args]
    : [process.execPath, ...args];
  const child = spawn(command[0], command.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  process.on('exit', () => child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk) => {
      text += chunk;
      const found = text.split('\n').map(ready).find(Boolean);
      if (!found) return;
      // What it prints from now on is let through unread.
      child.stdout.off('data', onData).resume();
      resolve({ child, found });
    };
    child.stdout.on('data', onData);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended early (${code}): ${text}`)));
  });
}

export async function stop(child) {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(timer);
}

/** CPU time of a whole process, threads included, in microseconds (10 ms resolution). */
export function cpuMicroseconds(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Polls until `look` gives something, or fails. */
export async function until(look, what, withinMs = 20_000) {
  for (const end = Date.now() + withinMs; Date.now() < end;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Waited in vain for ${what}.`);
}

export const readIfThere = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null);
