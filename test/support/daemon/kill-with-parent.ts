import { spawn, type ChildProcess } from 'node:child_process';

/** Kills a process when this one has ended for any reason, which closes its end of the pipe. */
export function killWithParent(pid: number): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', `read -r _; kill -KILL ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.stdin.on('error', () => undefined);
  return guard;
}
