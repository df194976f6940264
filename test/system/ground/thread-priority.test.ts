import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { FakeCopilot } from '../../support/fakes/copilot';
import { useReceivers } from '../../support/fakes/receivers';
import { until } from '../../support/until';

const startReceiver = useReceivers();

let upstream: FakeCopilot;
let daemon: Daemon;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.startConnected({ upstream });
});

afterAll(async () => {
  await daemon.close();
  await upstream.close();
});

/** The niceness of each thread of the daemon that gives way, compared with its main thread. */
function lowered(): number[] {
  return readdirSync(`/proc/${daemon.pid}/task`)
    .map((thread) => getPriority(Number(thread)) - getPriority(daemon.pid))
    .filter((niceness) => niceness > 0)
    .toSorted((a, b) => a - b);
}

const steps = (wanted: number) =>
  Math.min(wanted, constants.priority.PRIORITY_LOW - getPriority(process.pid));

it('the threads of V8, and those that send, read and index text give way to all others', async () => {
  const ofV8 = lowered().filter((niceness) => niceness === steps(10)).length;
  expect(ofV8).toBeGreaterThanOrEqual(2);
  await daemon.addTarget('any', (await startReceiver()).url);
  await emit(daemon, 'entity.created', { id: 'ent_1' });
  await daemon.get('/events');
  // The thread that examines payloads may run too.
  await until('all three give way too', () => {
    const found = lowered();
    return found[0] === steps(5) && found.length >= ofV8 + 3 && found.at(-1) === steps(10);
  });
});
