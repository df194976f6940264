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

/** The first number after those of standard input, output and error. */
const FIRST_NUMBER = 3;

/** Leaves a running process nothing to open, also once it has closed something. */
export function leaveNoFreeFile(pid: number): void {
  limitOpenFiles(pid, FIRST_NUMBER);
}
