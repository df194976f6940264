import type { Subscription } from '../../../src/contract/subscription';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

/** What ends as a path of its own, as none, or as a fault of whoever encodes it. */
const ODD_IDS = ['.', '..', '', '/', '../deals', '\u{d800}', 'wh_1?x', 'a'.repeat(65)];

describe('The webhook_id of a signed notification', () => {
  let board: Switchboard;

  beforeAll(async () => {
    board = await Switchboard.start();
  });
  afterAll(() => board.end());

  const notify = async (webhookId: string) => {
    const body = Buffer.from(
      JSON.stringify({ event: 'deal.created', timestamp: '', webhook_id: webhookId, data: {} }),
    );
    const answer = await board.notify({ body, signature: board.upstream.sign(board.webhook, body) });
    expect(answer.status).toBe(200);
  };
  const shown = async () => (await board.ask('/subscription')).json as Subscription;
  const deletions = () => board.upstream.on('DELETE /v1/webhooks/:id');

  it.each(ODD_IDS)('is no id of anything where it is %j', async (webhookId) => {
    await notify(webhookId);
    expect((await board.ask('/subscription/repair', { method: 'POST' })).status).toBe(200);
    expect((await shown()).reported).toEqual([]);
    expect(board.upstream.requests.every(({ path }) => /^\/(oauth|v1\/webhooks)(\/\w+)?$/.test(path))).toBe(
      true,
    );
  });

  it('deletes nothing by itself, however many there are', async () => {
    for (let i = 0; i < 30; i += 1) await notify(`wh_${i}`);
    await until('they are shown', async () => (await shown()).reported.length === 10);
    for (let i = 0; i < 3; i += 1) await board.ask('/subscription/repair', { method: 'POST' });
    expect(deletions()).toEqual([]);
  });

  it('has the webhook deleted that an operator chooses, and no other', async () => {
    const answer = await board.ask('/subscription/webhooks/wh_3', { method: 'DELETE' });
    expect(answer.status).toBe(200);
    expect((answer.json as Subscription).reported.map(({ webhook_id }) => webhook_id)).not.toContain('wh_3');
    expect(deletions().map(({ path }) => path)).toEqual(['/v1/webhooks/wh_3']);
    for (const id of ['wh_3', 'wh_29', board.webhook.webhook_id, '%2e%2e', '%ED%A0%80'])
      expect(await board.ask(`/subscription/webhooks/${id}`, { method: 'DELETE' })).toMatchObject({
        status: id === '%ED%A0%80' ? 400 : 404,
      });
    expect(deletions()).toHaveLength(1);
  });

  it('keeps nobody from disconnecting', async () => {
    expect((await board.ask('/connection/disconnect', { method: 'POST' })).status).toBe(200);
    expect(board.upstream.webhooks.size).toBe(0);
    expect(deletions()).toHaveLength(2);
  });
});
