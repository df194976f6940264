import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** How many files and connections a process has open. */
export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Sets how many files and connections a running process may have open (prlimit(1)); the hard limit stays. */
export function limitOpenFiles(pid: number, files: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
}
