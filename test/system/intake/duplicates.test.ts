import { stats } from '../../../src/contract/stats';
import { signedNotification } from '../../support/signed-notification';
import { accepted, everything, idOf, switchboard, untilReceived, useHub, useTargets } from './hub';

useHub();
useTargets();

describe('a duplicate', () => {
  it('is answered as such, counted and timed on its original, and not delivered again', async () => {
    const notification = signedNotification('contact-created');
    const first = await switchboard.notify(notification);
    expect(first).toMatchObject(accepted);
    const id = idOf(first);
    await untilReceived(everything, id);
    const before = switchboard.clock.now();
    expect((await switchboard.notify(notification)).json).toEqual({ id, status: 'duplicate' });
    expect((await switchboard.notify(notification)).json).toEqual({ id, status: 'duplicate' });

    const event = await switchboard.event(id);
    expect(event.duplicates).toBe(2);
    expect(event.duplicate_times.map((time) => Date.parse(time) >= before)).toEqual([true, true]);
    expect(event.deliveries).toHaveLength(2);
    expect(everything.of(id)).toHaveLength(1);
    const { data } = (await switchboard.ask('/events?limit=5')).json as {
      data: { id: string; duplicates: number }[];
    };
    expect(data.find((summary) => summary.id === id)).toMatchObject({ duplicates: 2 });
  });

  it('is recognized even among twenty concurrent requests', async () => {
    const notification = signedNotification('task-created');
    const responses = await Promise.all(Array.from({ length: 20 }, () => switchboard.notify(notification)));
    const outcomes = responses.map(({ status, json }) => ({
      http: status,
      ...(json as { id: string; status: string }),
    }));
    expect(outcomes.filter(({ status }) => status === 'accepted')).toHaveLength(1);
    expect(outcomes.filter(({ status, http }) => status === 'duplicate' && http === 200)).toHaveLength(19);
    expect(new Set(outcomes.map(({ id }) => id)).size).toBe(1);
    const id = outcomes[0]!.id;
    await untilReceived(everything, id);
    expect((await switchboard.event(id)).duplicates).toBe(19);
    expect(everything.of(id)).toHaveLength(1);
  });

  it('may come from another webhook: the value of webhook_id is ignored', async () => {
    const id = idOf(await switchboard.notify(signedNotification('deal-created')));
    const other = await switchboard.notify(signedNotification('deal-created-by-another-webhook'));
    expect(other.json).toEqual({ id, status: 'duplicate' });
  });

  it.each([
    ['large-integer', 'large-integer-next', 'integers beyond 2^53 that differ'],
    ['nested-webhook-id', 'nested-webhook-id-other', 'a nested webhook_id that differs'],
    ['deal-created', 'deal-created-spaced', 'other white space'],
  ])('is not assumed for %s and %s: %s', async (one, other) => {
    const first = idOf(await switchboard.notify(signedNotification(one)));
    const second = await switchboard.notify(signedNotification(other));
    expect(second).toMatchObject(accepted);
    expect(idOf(second)).not.toBe(first);
  });
});

it('duplicates are counted', async () => {
  const { received } = await switchboard.read(stats, '/stats');
  expect(received.duplicate).toBeGreaterThanOrEqual(22);
});
