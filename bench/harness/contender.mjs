// Runs a contender: a program of `contenders/` that relays notifications to targets.
import { join } from 'node:path';
import { scratchFolder, startProgram, stop, treeCpuMicroseconds } from './processes.mjs';

const FOLDER = join(import.meta.dirname, '..', 'contenders');

/**
 * Starts a contender with all of its processes on these cores.
 * @returns { hook: { url, secret }, settings, cpu(), stop() }; or { missing } if it needs something that is not installed
 */
export async function startContender(name, cores, targets) {
  const args = [join(FOLDER, `${name}.mjs`), scratchFolder(), ...targets];
  const { child, found } = await startProgram(cores, args, (line) => /^(?:ready|missing) .*/.exec(line)?.[0]);
  const [word] = found.split(' ');
  const value = JSON.parse(found.slice(word.length));
  if (word === 'missing') {
    await stop(child);
    return { missing: value };
  }
  return { ...value, cpu: () => treeCpuMicroseconds(child.pid), stop: () => stop(child) };
}
