import { until } from '../../support/until';
import { deliveryDetail } from '../../../src/contract/delivery';
import {
  MINUTE,
  SECOND,
  emitMany,
  list,
  startReceiver,
  switchboard,
  useDeliveries,
} from './dead-letter-tools';

useDeliveries();

describe('failed attempts', () => {
  it('are retried according to the policy of the target', async () => {
    const receiver = await startReceiver(500);
    const { id } = await switchboard.addTarget('listed', receiver.url, ['listed.*'], {
      policy: { retry: { delays_s: [60, 600] }, jitter: 0 },
    });
    // On a busy machine the last second before a retry could pass by itself.
    switchboard.clock.stop();
    const event = await switchboard.emit('listed.event');
    for (const [count, waitMs] of [
      [1, MINUTE],
      [2, 10 * MINUTE],
    ] as const) {
      const { due_at, attempts } = await switchboard.deliveryOnce(
        event,
        id,
        (one) => one.attempts.length === count,
      );
      const { at, duration_ms } = attempts.at(-1)!;
      expect(Date.parse(due_at!) - Date.parse(at) - duration_ms).toBe(waitMs);
      switchboard.clock.move(Date.parse(due_at!) - switchboard.clock.now() - 1);
      await switchboard.emit('some.other');
      expect(receiver.of(event)).toHaveLength(count);
      switchboard.clock.move(1);
    }
    const dead = await switchboard.deliveryOnce(event, id, ({ state }) => state === 'dead');
    expect(dead.note).toBe('HTTP 500 after 3 attempts.');
    expect(receiver.of(event)).toHaveLength(3);
  });

  it('are not retried after a response that is not retryable', async () => {
    const receiver = await startReceiver(422);
    const { id } = await switchboard.addTarget('final', receiver.url, ['final.*'], {
      policy: { retry_on: { network: true, statuses: ['5xx', 429] } },
    });
    const dead = await switchboard.deliveryOnce(
      await switchboard.emit('final.event'),
      id,
      ({ state }) => state === 'dead',
    );
    expect(dead).toMatchObject({
      attempt_count: 1,
      note: expect.stringMatching(/422, which is not retried/),
    });
  });

  it('are delayed by Retry-After, up to the cap of the policy', async () => {
    const receiver = await startReceiver(
      (response) => void response.writeHead(429, { 'retry-after': '7200' }).end(),
    );
    const policy = { jitter: 0, retry: { delays_s: [5] } };
    const capped = await switchboard.addTarget('capped', receiver.url, ['asked.*'], {
      policy: { ...policy, retry_after_cap_s: 100 },
    });
    const whole = await switchboard.addTarget('whole', receiver.url, ['asked.*'], {
      policy: { ...policy, retry_after_cap_s: 100_000 },
    });
    const patient = await switchboard.addTarget('patient', receiver.url, ['asked.*'], {
      policy: { ...policy, retry: { delays_s: [9_000] } },
    });
    const event = await switchboard.emit('asked.event');
    const waited = async (id: string) => {
      const { due_at, attempts } = await switchboard.deliveryOnce(
        event,
        id,
        (one) => one.attempts.length === 1,
      );
      return Date.parse(due_at!) - Date.parse(attempts[0]!.at) - attempts[0]!.duration_ms;
    };
    expect(await waited(capped.id)).toBe(100 * SECOND);
    expect(await waited(whole.id)).toBe(7_200 * SECOND);
    expect(await waited(patient.id)).toBe(9_000 * SECOND);
  });

  it('are retried at once when the policy is changed to shorter pauses', async () => {
    const receiver = await startReceiver(404);
    const long = { jitter: 0, retry: { delays_s: [9_000] }, retry_after_cap_s: 60 };
    const { id } = await switchboard.addTarget('shortened', receiver.url, ['shortened.*'], { policy: long });
    const event = await switchboard.emit('shortened.event');
    await switchboard.deliveryOnce(event, id, ({ state }) => state === 'retrying');
    receiver.respondWith(200);
    await switchboard.ask(`/targets/${id}`, {
      method: 'PATCH',
      json: { policy: { ...long, retry: { delays_s: [60] } } },
    });
    await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
  });

  it('do not delay first attempts, which are sent before them', async () => {
    let broken = true;
    const receiver = await startReceiver((response) => void response.writeHead(broken ? 404 : 204).end());
    const { id } = await switchboard.addTarget('both', receiver.url, ['both.*'], {
      // The last delay is for an attempt on a connection that the receiver has just closed.
      policy: { concurrency: 1, rate: { limit: 100, per: 'second' }, retry: { delays_s: [600, 1] } },
    });
    const retries = new Set(await emitMany('both.event', 60));
    await until(
      'all have failed once',
      async () => (await list(`target=${id}&status=retrying`)).length === 60,
    );
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    switchboard.clock.move(700 * SECOND);
    const firsts = new Set(await emitMany('both.event', 40));
    broken = false;
    const before = receiver.hits.length;
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    await until(
      'all have succeeded',
      async () => (await list(`target=${id}&status=succeeded`)).length === 100,
    );
    const order = receiver.hits.slice(before).map(({ headers }) => String(headers['webhook-id']));
    // While both kinds are due, four of five requests are first attempts.
    const firstFifty = order.slice(0, 50);
    expect(firstFifty.filter((event) => firsts.has(event)).length).toBeGreaterThanOrEqual(38);
    expect(firstFifty.filter((event) => retries.has(event)).length).toBeGreaterThanOrEqual(9);
  });
});

describe('the rate limit of a target', () => {
  it('is not exceeded', async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end());
    const { id } = await switchboard.addTarget('rated', receiver.url, ['rated.*'], {
      policy: { rate: { limit: 20, per: 'second' } },
    });
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    await Promise.all(Array.from({ length: 60 }, () => switchboard.emit('rated.event')));
    await switchboard.ask(`/targets/${id}/resume`, { method: 'POST' });
    const succeeded = () => list(`target=${id}&status=succeeded`);
    await until('all have succeeded', async () => (await succeeded()).length === 60);
    const details = await Promise.all(
      (await succeeded()).map((one) => switchboard.read(deliveryDetail, `/deliveries/${one.id}`)),
    );
    const times = details.map(({ attempts }) => Date.parse(attempts[0]!.at)).toSorted((a, b) => a - b);
    // No second contains more than the limit and the small burst that is allowed.
    for (const [i, time] of times.entries()) {
      const within = times.slice(i).filter((other) => other - time < 900).length;
      expect(within).toBeLessThanOrEqual(22);
    }
  });
});
