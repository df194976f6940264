import { Worker } from 'node:worker_threads';
import { endThread, threadsEnded } from '../../../src/relay/database/reading/end-thread';

it('a thread that is asked to end is waited for, also by who did not ask it', async () => {
  await threadsEnded();
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     parentPort.once('message', () => Atomics.wait(workerData, 0, 0));`,
    { eval: true, workerData: gate },
  );
  let ended = false;
  thread.on('exit', () => (ended = true));
  const asked = endThread(thread);
  const others = threadsEnded().then(() => ended);
  await new Promise((resolve) => thread.once('online', resolve));
  expect(ended).toBe(false);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  expect(await others).toBe(true);
  await asked;
  await threadsEnded();
});
