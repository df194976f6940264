import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What a running process has open: paths, and others such as `socket:[1]`. */
export function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((number) => {
    try {
      return [readlinkSync(join(folder, number))];
    } catch {
      // It was closed in the meantime.
      return [];
    }
  });
}

/** Sets below which number a running process may open files and connections (prlimit(1)); the hard limit stays. */
export function limitOpenFiles(pid: number, below: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${below}:`]);
}

/** Leaves a running process nothing to open: it may not use its lowest free number, nor any above. */
export function leaveNoFreeFile(pid: number): void {
  const lowest = lowestFree(pid);
  limitOpenFiles(pid, lowest);
  // What was closed in the meantime is free again.
  if (lowestFree(pid) < lowest) leaveNoFreeFile(pid);
}

function lowestFree(pid: number): number {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let number = 0;
  while (used.has(number)) number += 1;
  return number;
}
