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

/** How much threads of the daemon give way, compared with its main thread. */
function lowered(): Set<number> {
  return new Set(
    readdirSync(`/proc/${daemon.pid}/task`)
      .map((thread) => getPriority(Number(thread)) - getPriority(daemon.pid))
      .filter((niceness) => niceness > 0),
  );
}

it('the threads that send, read and index text give way to all others', async () => {
  await daemon.addTarget('any', (await startReceiver()).url);
  await emit(daemon, 'entity.created', { id: 'ent_1' });
  const most = constants.priority.PRIORITY_LOW - getPriority(daemon.pid);
  const wanted = new Set([Math.min(5, most), most]);
  await until('both threads give way', () => lowered().size === wanted.size);
  expect(lowered()).toEqual(wanted);
});
