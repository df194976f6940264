import { readdirSync, readFileSync } from 'node:fs';
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

/** The niceness of the threads that give way, a field of proc_pid_stat(5). */
function lowered(): number[] {
  const tasks = `/proc/${daemon.pid}/task`;
  return readdirSync(tasks)
    .map((thread) => {
      const fields = readFileSync(`${tasks}/${thread}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
      return Number(fields[16]);
    })
    .filter((niceness) => niceness !== 0)
    .toSorted((a, b) => a - b);
}

it('the threads that send and that index text give way to all others', async () => {
  await daemon.addTarget('any', (await startReceiver()).url);
  await emit(daemon, 'entity.created', { id: 'ent_1' });
  await until('both threads give way', () => lowered().length === 2);
  expect(lowered()).toEqual([5, 19]);
});
