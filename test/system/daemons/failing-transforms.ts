import type { Target } from '../../../src/contract/target';
import type { Daemon } from '../../support/daemon/daemon';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { DAEMONS, group } from './three-daemons';

const EVENTS = 8;
const DEALS = 4;

export function failingTransforms(): void {
  it.each([
    ['dead', 5],
    ['pause', 0],
  ])(
    'are paused by the leader, with on_error %s after %d dead letters, and go on after a correction with the same $previous',
    async (onError, dead) => {
      const [leader] = group.daemons as [Daemon];
      const receiver = await RecordingTarget.start();
      const transform = { expression: 'data.name + 1', on_error: onError };
      const ids: string[] = [];
      for (let n = 0; n < DAEMONS; n += 1) {
        const policy = { concurrency: 1 };
        ids.push((await leader.addTarget(`${onError} ${n}`, receiver.url, { transform, policy })).id);
      }
      const ownersOf = async () =>
        (await group.list(leader)).filter(({ target_ids: own }) => own.some((id) => ids.includes(id)));
      await until('each has its own daemon', async () => (await ownersOf()).length === DAEMONS);
      const shown = () => Promise.all(ids.map((id) => leader.get<Target>(`/targets/${id}`)));
      for (let n = 0; n < EVENTS; n += 1) {
        const { body } = dealNotification({
          id: n % DEALS,
          name: `Deal ${n}`,
          webhookId: group.webhook.webhook_id,
        });
        await group.sendTo(group.daemons[n % DAEMONS]!, body);
      }
      await until('all are paused', async () => (await shown()).every(({ paused }) => paused !== null));
      for (const { paused } of await shown()) expect(paused!.reason).toContain('Its transformation failed');
      await until('the rest is queued', async () =>
        (await shown()).every(({ backlog }) => backlog.dead === dead && backlog.open === EVENTS - dead),
      );
      expect(receiver.hits).toEqual([]);
      for (const id of ids) {
        const expression = '[data.name, $previous.data.name]';
        await leader.request('PATCH', `/targets/${id}`, { transform: { expression } });
        await leader.request('POST', `/targets/${id}/resume`);
      }
      await until('the rest is delivered', () => receiver.hits.length === DAEMONS * (EVENTS - dead));
      const bodies = receiver.hits.map(({ body }) => body.toString());
      for (let n = DEALS; n < EVENTS; n += 1) {
        const made = bodies.filter((body) => body.startsWith(`["Deal ${n}"`));
        expect(made).toEqual(made.map(() => `["Deal ${n}","Deal ${n - DEALS}"]`));
      }
      for (const id of ids) await leader.request('DELETE', `/targets/${id}`);
      await receiver.close();
    },
  );
}
