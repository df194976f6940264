import type { Subscription } from '../../../src/contract/subscription';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

/** The daemon keeps the first ten. */
const MAX_REPORTED = 10;

/** Ids that would change the path of a request, vanish from it, cannot be encoded, or are too long. */
const UNSAFE_IDS = ['.', '..', '', '/', '../deals', '\u{d800}', 'wh_1?x', 'a'.repeat(65)];

describe('the webhook_id of a signed notification', () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await Switchboard.start();
  });
  afterAll(() => switchboard.end());

  const notify = async (webhookId: string) => {
    const body = Buffer.from(
      JSON.stringify({ event: 'deal.created', timestamp: '', webhook_id: webhookId, data: {} }),
    );
    const response = await switchboard.notify({
      body,
      signature: switchboard.upstream.sign(switchboard.webhook, body),
    });
    expect(response.status).toBe(200);
  };
  const reported = async () => {
    const { reported: webhooks } = (await switchboard.ask('/subscription')).json as Subscription;
    return webhooks.map(({ webhook_id: id }) => id);
  };
  /** Compares our webhook with Co-Pilot, which takes requests with its id, and may delete webhooks. */
  const reconcile = async () =>
    expect((await switchboard.ask('/subscription/repair', { method: 'POST' })).status).toBe(200);
  const statusOfDelete = async (id: string) =>
    (await switchboard.ask(`/subscription/webhooks/${id}`, { method: 'DELETE' })).status;
  const deletions = () => switchboard.upstream.on('DELETE /v1/webhooks/:id');

  it.each(UNSAFE_IDS)('is not used as an id if it is %j', async (webhookId) => {
    await notify(webhookId);
    await reconcile();
    expect(await reported()).toEqual([]);
    expect(
      switchboard.upstream.requests.every(({ path }) => /^\/(oauth|v1\/webhooks)(\/\w+)?$/.test(path)),
    ).toBe(true);
  });

  it('never causes a deletion, however many there are', async () => {
    for (let i = 0; i < 3 * MAX_REPORTED; i += 1) await notify(`wh_${i}`);
    await until('the first are shown', async () => (await reported()).length === MAX_REPORTED);
    await reconcile();
    expect(deletions()).toEqual([]);
  });

  it('lets an operator delete that webhook, and no other', async () => {
    await notify('wh_3');
    expect(await statusOfDelete('wh_3')).toBe(200);
    expect(await reported()).not.toContain('wh_3');
    expect(deletions().map(({ path }) => path)).toEqual(['/v1/webhooks/wh_3']);
    for (const [reason, id, status] of [
      ['is deleted already', 'wh_3', 404],
      ['was not reported', 'wh_999', 404],
      ['is the current webhook', switchboard.webhook.webhook_id, 404],
      ['is no id', '%2e%2e', 404],
      ['is not UTF-8', '%ED%A0%80', 400],
    ] as const)
      expect({ reason, status: await statusOfDelete(id) }).toEqual({ reason, status });
    expect(deletions()).toHaveLength(1);
  });

  it('does not prevent a disconnect', async () => {
    const { webhook_id: id } = switchboard.webhook;
    const before = deletions().length;
    expect((await switchboard.ask('/connection/disconnect', { method: 'POST' })).status).toBe(200);
    expect(switchboard.upstream.webhooks.size).toBe(0);
    expect(
      deletions()
        .slice(before)
        .map(({ path }) => path),
    ).toEqual([`/v1/webhooks/${id}`]);
  });
});
