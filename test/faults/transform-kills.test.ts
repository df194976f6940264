import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Daemon } from '../support/daemon/daemon';
import { emit } from '../support/daemon/emit';
import { FakeCopilot } from '../support/fakes/copilot';
import { RecordingTarget } from '../support/fakes/recording-target';
import { until } from '../support/until';

const KILLS = Number(process.env['KILLS'] ?? 50);
const PER_KILL = 20;
const WITHIN_MS = 600;
const SETTLED_WITHIN_MS = 120_000;

/** The processes that evaluate expressions for a daemon. */
const evaluating = (daemon: number) =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(daemon)])
    .toString()
    .split('\n')
    .filter((line) => line.includes('transform'))
    .map((line) => Number.parseInt(line, 10));

it('loses nothing and sends nothing untransformed, though the processes that evaluate are killed again and again', async () => {
  const receiver = await RecordingTarget.start();
  const upstream = await FakeCopilot.start();
  const daemon = await Daemon.startConnected({ upstream });
  try {
    const transform = { expression: '{"id": data.id, "before": $previous.data.id}' };
    await daemon.addTarget('shaped', receiver.url, { transform, policy: { ordering: 'entity' } });
    let kills = 0;
    let sent = 0;
    while (kills < KILLS) {
      for (let i = 0; i < PER_KILL; i += 1) await emit(daemon, 'deal.updated', { id: (sent += 1) });
      for (const pid of evaluating(daemon.pid)) {
        process.kill(pid, 'SIGKILL');
        kills += 1;
      }
      await pause(Math.random() * WITHIN_MS);
    }
    await until('all are delivered', () => receiver.hits.length >= sent, SETTLED_WITHIN_MS);
    const bodies = receiver.hits.map(({ body }) => body.toString());
    expect(bodies.toSorted()).toEqual(Array.from({ length: sent }, (_, i) => `{"id":${i + 1}}`).toSorted());
  } finally {
    await daemon.close();
    await upstream.close();
    await receiver.close();
  }
});
