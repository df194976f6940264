import { Worker } from 'node:worker_threads';
import { lowerThreadPriority } from '../ground/lower-thread-priority';
import { evaluate } from './evaluate';
import type { FromTransformProcess, TransformRequest } from './transform-messages';

/** As the thread that sends: acknowledgements do not wait for expressions. */
const PRIORITY_STEPS = 5;

/** Ends this process when the daemon has been killed: a regular expression that never ends would go on alone. */
const WATCH = `const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1_000);`;

/**
 * Evaluates expressions, one at a time. A process of its own, not a thread: what exhausts the memory of a thread may abort
 * its whole process.
 */
lowerThreadPriority(PRIORITY_STEPS);
process.on('message', (request: TransformRequest) => void evaluate(request).then(send));
// Its start is not part of the CPU time of an evaluation.
new Worker(WATCH, { eval: true }).once('online', () => send('ready')).unref();

function send(message: FromTransformProcess): void {
  // If the daemon has ended, this process ends too.
  process.send!(message, () => undefined);
}
