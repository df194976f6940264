import { spawn, type ChildProcess } from 'node:child_process';

/** Ends a process when this one is gone, however that came about: its end of the pipe closes with it. */
export function guardOver(pid: number): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', `read -r _; kill -KILL ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.stdin.on('error', () => undefined);
  return guard;
}
