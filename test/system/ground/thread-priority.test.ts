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

it('the threads that send and that index text give way to all others', async () => {
  await daemon.addTarget('any', (await startReceiver()).url);
  await emit(daemon, 'entity.created', { id: 'ent_1' });
  await until('both threads give way', () => lowered().length === 2);
  const most = constants.priority.PRIORITY_LOW - getPriority(daemon.pid);
  expect(lowered()).toEqual([Math.min(5, most), most]);
});
