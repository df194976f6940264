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

it('the threads that send, read and index text give way to all others', async () => {
  await daemon.addTarget('any', (await startReceiver()).url);
  await emit(daemon, 'entity.created', { id: 'ent_1' });
  await daemon.get('/events');
  const most = constants.priority.PRIORITY_LOW - getPriority(daemon.pid);
  const some = Math.min(5, most);
  await until('all three give way', () => {
    const found = lowered();
    return found.length >= 3 && found[1] === some && found.includes(most);
  });
  // The thread that examines payloads may run too, as low as that of the text index.
  expect(lowered().slice(0, 3)).toEqual([some, some, most]);
});
