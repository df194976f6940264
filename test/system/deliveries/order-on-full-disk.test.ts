import type { AlertSummary } from '../../../src/contract/alert';
import type { Page } from '../../../src/contract/page';
import type { Stats } from '../../../src/contract/stats';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, allowWritesOf } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { dealNotification } from '../../support/notification';
import { useReceivers } from '../../support/fakes/receivers';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const startReceiver = useReceivers();

describe('strict order while the disk fails', () => {
  it('does not send the next event before the previous success is on disk', async () => {
    const upstream = await FakeCopilot.start();
    const daemon = await Daemon.startConnected({ upstream });
    const client = new WebhookSender(daemon.webhook);
    try {
      const held: (() => void)[] = [];
      const receiver = await startReceiver((response) => void held.push(() => response.writeHead(204).end()));
      const { id: targetId } = await daemon.addTarget('strict', receiver.url, {
        policy: { ordering: 'strict' },
      });
      await daemon.request('POST', `/targets/${targetId}/pause`);
      for (const id of [1, 2, 3]) {
        const { body } = dealNotification({ id, webhookId: daemon.webhook.webhook_id });
        expect((await client.send(body)).status).toBe(200);
      }
      await daemon.request('POST', `/targets/${targetId}/resume`);
      await until('the first is in flight', () => held.length === 1);

      failWritesOf(daemon.pid);
      held[0]!();
      const alerts = async () => (await daemon.get<Page<AlertSummary>>('/alerts')).data;
      await until('its result could not be stored', async () =>
        (await alerts()).some(({ type }) => type === 'relay.disk.failed'),
      );
      await daemon.get('/stats');
      expect(receiver.hits).toHaveLength(1);

      allowWritesOf(daemon.pid);
      for (const answered of [2, 3]) {
        await until('the next is in flight', () => held.length === answered);
        held[answered - 1]!();
      }
      await until('nothing is queued', async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0);
      expect(receiver.hits).toHaveLength(3);
      await assertBalanced(daemon);
    } finally {
      client.close();
      await daemon.close();
      await upstream.close();
    }
  });
});
