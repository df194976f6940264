import { randomBytes } from 'node:crypto';
import { recheckOutcome, rejectionPage, type Rejection } from '../../../src/contract/rejection';
import { subscription } from '../../../src/contract/subscription';
import { RecordingTarget } from '../../support/fakes/recording-target';
import type { SignedNotification } from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;

let switchboard: Switchboard;
let target: RecordingTarget;

beforeEach(async () => {
  switchboard = await Switchboard.start({ environment: { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' } });
  target = await RecordingTarget.start();
  await switchboard.addTarget('everything', target.url, ['*']);
});
afterEach(async () => {
  await switchboard.end();
  await target.close();
});

/** More candidates for a signature than are checked, sent before the real one. */
const decoys = Array.from({ length: 16 }, (_, i): [string, string] => [
  `x-decoy-${i}`,
  randomBytes(32).toString('hex'),
]);
const rejections = async (): Promise<Rejection[]> =>
  (await switchboard.read(rejectionPage, '/rejections?limit=200')).data;
const recheck = (id: string) =>
  switchboard.read(recheckOutcome, `/rejections/${id}/recheck`, { method: 'POST' });

/** Once learned, the signature header is checked first, so the decoys no longer prevent a match. */
function untilHeaderLearned(): Promise<void> {
  return until(
    'the header is learned',
    async () => (await switchboard.read(subscription, '/subscription')).signature_header !== null,
  );
}

/** Sends a notification whose signature is not found, and waits until it is quarantined. */
async function quarantine(notification: SignedNotification): Promise<Rejection> {
  const before = await rejections();
  const path = switchboard.hookPath;
  expect((await switchboard.notify(notification, { headers: decoys, path })).status).toBe(401);
  await until('the notification is quarantined', async () => (await rejections()).length > before.length);
  return (await rejections())[0]!;
}

describe('a quarantined notification', () => {
  it('is accepted once its header is known, with the time of its first arrival', async () => {
    const notification = switchboard.sign('deal.created', { id: 7 });
    const { id, received_at } = await quarantine(notification);
    expect(await recheck(id)).toMatchObject({ outcome: 'still_rejected', event_id: null });
    expect(await rejections()).toHaveLength(1);

    await switchboard.emit('deal.updated', { id: 7 });
    await untilHeaderLearned();
    switchboard.clock.move(HOUR_MS);
    const { outcome, event_id, sentence } = await recheck(id);
    expect({ outcome, sentence }).toEqual({
      outcome: 'accepted',
      sentence: 'The signature matches now: it was stored as an event with the time of its first arrival.',
    });
    expect(await switchboard.event(event_id!)).toMatchObject({
      type: 'deal.created',
      entity: 'deal:7',
      received_at,
      verification: { header: 'x-copilot-signature', algorithm: 'hmac-sha256' },
    });
    expect((await switchboard.ask(`/events/${event_id}/body`)).body).toEqual(notification.body);
    await until('the event arrives', () => target.of(event_id!).length === 1);
    expect(target.of(event_id!)[0]!.body).toEqual(notification.body);
    expect(await rejections()).toEqual([]);
  });

  it('has the address that a trusted proxy forwards', async () => {
    expect((await quarantine(switchboard.sign('deal.created'))).address).toBe('127.0.0.1');
    const headers: [string, string][] = [...decoys, ['x-forwarded-for', '203.0.113.5, 192.0.2.1']];
    await switchboard.notify(switchboard.sign('deal.created'), { headers });
    await until('both are quarantined', async () => (await rejections()).length === 2);
    expect((await rejections())[0]!.address).toBe('192.0.2.1');
  });

  it('is removed as a duplicate if it was stored meanwhile', async () => {
    const notification = switchboard.sign('deal.created');
    const { id } = await quarantine(notification);
    const stored = await switchboard.notify(notification);
    await untilHeaderLearned();
    const { id: eventId } = stored.json as { id: string };
    expect(await recheck(id)).toMatchObject({ outcome: 'duplicate', event_id: eventId });
    expect((await switchboard.event(eventId)).duplicates).toBe(1);
    expect(await rejections()).toEqual([]);
  });

  it('is accepted once, however many rechecks are concurrent', async () => {
    const { id } = await quarantine(switchboard.sign('deal.created'));
    await switchboard.emit('deal.updated');
    await untilHeaderLearned();
    const requests = Array.from({ length: 3 }, () =>
      switchboard.ask(`/rejections/${id}/recheck`, { method: 'POST' }),
    );
    const [first, ...others] = (await Promise.all(requests)).toSorted((a, b) => a.status - b.status);
    expect(first).toMatchObject({ status: 200, json: { outcome: 'accepted' } });
    // A recheck that comes after the acceptance no longer finds it.
    for (const other of others)
      if (other.status === 200) expect(other.json).toEqual(first!.json);
      else expect(other).toMatchObject({ status: 404, json: { code: 'rejection_unknown' } });
    expect((await switchboard.event(recheckOutcome.parse(first!.json).event_id ?? '')).duplicates).toBe(0);
  });

  it('is verified with the secret of its own webhook, even long after a rotation', async () => {
    const { id } = await quarantine(switchboard.sign('deal.created'));
    const path = switchboard.hookPath;
    expect((await switchboard.ask('/subscription/rotate', { method: 'POST' })).status).toBe(200);
    switchboard.clock.move(HOUR_MS);
    await until('the old webhook is deleted', () => switchboard.upstream.webhooks.size === 1);
    await until('the old key is no longer accepted', async () => {
      // The grace period of the key starts when the daemon notices the deletion, at an unknown time.
      switchboard.clock.move(HOUR_MS);
      return (await switchboard.wire.send(path, { method: 'POST' })).status === 404;
    });
    await switchboard.emit('deal.updated');
    await untilHeaderLearned();
    expect(await recheck(id)).toMatchObject({ outcome: 'accepted' });
  });

  it('is deleted by an operator, and is not found again', async () => {
    const { id } = await quarantine(switchboard.sign('deal.created'));
    const remove = () => switchboard.ask(`/rejections/${id}`, { method: 'DELETE' });
    expect((await remove()).status).toBe(204);
    expect(await rejections()).toEqual([]);
    for (const answer of [await remove(), await switchboard.ask(`/rejections/${id}/body`)])
      expect(answer).toMatchObject({ status: 404, json: { code: 'rejection_unknown' } });
  });

  it('survives a restart', async () => {
    const { id } = await quarantine(switchboard.sign('deal.created'));
    await switchboard.emit('deal.updated');
    await untilHeaderLearned();
    await switchboard.restart();
    expect(await recheck(id)).toMatchObject({ outcome: 'accepted' });
  });

  it('is answered with 404 if its id is unknown', async () => {
    const response = await switchboard.ask('/rejections/rej_00000000000000000000000000/recheck', {
      method: 'POST',
    });
    expect(response).toMatchObject({ status: 404, json: { code: 'rejection_unknown' } });
  });
});
