import { randomBytes } from 'node:crypto';
import { recheckOutcome, rejectionPage, type Rejection } from '../../../src/contract/rejection';
import { subscription } from '../../../src/contract/subscription';
import { RecordingTarget } from '../../support/fakes/recording-target';
import type { SignedNotification } from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;

let board: Switchboard;
let target: RecordingTarget;

beforeEach(async () => {
  board = await Switchboard.start({ environment: { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.0/8' } });
  target = await RecordingTarget.start();
  await board.addTarget('everything', target.url, ['*']);
});
afterEach(async () => {
  await board.end();
  await target.close();
});

/** More that looks like a signature than is looked at: the right one stands behind it. */
const decoys = Array.from({ length: 16 }, (_, i): [string, string] => [
  `x-decoy-${i}`,
  randomBytes(32).toString('hex'),
]);
const rejections = async (): Promise<Rejection[]> =>
  (await board.read(rejectionPage, '/rejections?limit=200')).data;
const recheck = (id: string) => board.read(recheckOutcome, `/rejections/${id}/recheck`, { method: 'POST' });

/** From then on the header that carries signatures is tried first. */
function untilHeaderLearned(): Promise<void> {
  return until(
    'the header to be learned',
    async () => (await board.read(subscription, '/subscription')).signature_header !== null,
  );
}

/** Sends it so that no signature is found, and waits until it is kept. */
async function quarantine(notification: SignedNotification): Promise<Rejection> {
  const before = await rejections();
  const path = board.hookPath;
  expect((await board.notify(notification, { headers: decoys, path })).status).toBe(401);
  await until('the notification in quarantine', async () => (await rejections()).length > before.length);
  return (await rejections())[0]!;
}

describe('A quarantined notification', () => {
  it('is taken in once its header is known, with the time of its first arrival', async () => {
    const notification = board.sign('deal.created', { id: 7 });
    const { id, received_at } = await quarantine(notification);
    expect(await recheck(id)).toMatchObject({ outcome: 'still_rejected', event_id: null });
    expect(await rejections()).toHaveLength(1);

    await board.emit('deal.updated', { id: 7 });
    await untilHeaderLearned();
    board.clock.move(HOUR_MS);
    const { outcome, event_id, sentence } = await recheck(id);
    expect({ outcome, sentence }).toEqual({
      outcome: 'accepted',
      sentence: 'The signature matches now: it was stored as an event with the time of its first arrival.',
    });
    expect(await board.event(event_id!)).toMatchObject({
      type: 'deal.created',
      entity: 'deal:7',
      received_at,
      verification: { header: 'x-copilot-signature', algorithm: 'hmac-sha256' },
    });
    expect((await board.ask(`/events/${event_id}/body`)).body).toEqual(notification.body);
    await until('the event at the target', () => target.of(event_id!).length === 1);
    expect(target.of(event_id!)[0]!.body).toEqual(notification.body);
    expect(await rejections()).toEqual([]);
  });

  it('says whom it came from, as a trusted proxy tells', async () => {
    expect((await quarantine(board.sign('deal.created'))).address).toBe('127.0.0.1');
    const headers: [string, string][] = [...decoys, ['x-forwarded-for', '203.0.113.5, 192.0.2.1']];
    await board.notify(board.sign('deal.created'), { headers });
    await until('both', async () => (await rejections()).length === 2);
    expect((await rejections())[0]!.address).toBe('192.0.2.1');
  });

  it('that was stored meanwhile is a duplicate, and let go', async () => {
    const notification = board.sign('deal.created');
    const { id } = await quarantine(notification);
    const stored = await board.notify(notification);
    await untilHeaderLearned();
    const { id: eventId } = stored.json as { id: string };
    expect(await recheck(id)).toMatchObject({ outcome: 'duplicate', event_id: eventId });
    expect((await board.event(eventId)).duplicates).toBe(1);
    expect(await rejections()).toEqual([]);
  });

  it('is taken in once however many ask at the same time', async () => {
    const { id } = await quarantine(board.sign('deal.created'));
    await board.emit('deal.updated');
    await untilHeaderLearned();
    const asked = Array.from({ length: 3 }, () => board.ask(`/rejections/${id}/recheck`, { method: 'POST' }));
    const [first, ...others] = (await Promise.all(asked)).toSorted((a, b) => a.status - b.status);
    expect(first).toMatchObject({ status: 200, json: { outcome: 'accepted' } });
    // Who asks after it was taken in finds it gone.
    for (const other of others)
      if (other.status === 200) expect(other.json).toEqual(first!.json);
      else expect(other).toMatchObject({ status: 404, json: { code: 'rejection_unknown' } });
    expect((await board.event(recheckOutcome.parse(first!.json).event_id ?? '')).duplicates).toBe(0);
  });

  it('is verified with the secret of its own webhook, also long after that was replaced', async () => {
    const { id } = await quarantine(board.sign('deal.created'));
    const path = board.hookPath;
    expect((await board.ask('/subscription/rotate', { method: 'POST' })).status).toBe(200);
    board.clock.move(HOUR_MS);
    await until('the old webhook to be deleted', () => board.upstream.webhooks.size === 1);
    await until('the old key to be good no longer', async () => {
      // It is good for a while after the deletion is known here, whenever that is.
      board.clock.move(HOUR_MS);
      return (await board.wire.send(path, { method: 'POST' })).status === 404;
    });
    await board.emit('deal.updated');
    await untilHeaderLearned();
    expect(await recheck(id)).toMatchObject({ outcome: 'accepted' });
  });

  it('outlives a restart', async () => {
    const { id } = await quarantine(board.sign('deal.created'));
    await board.emit('deal.updated');
    await untilHeaderLearned();
    await board.stop();
    board = await Switchboard.start({ after: board });
    expect(await recheck(id)).toMatchObject({ outcome: 'accepted' });
  });

  it('that nobody knows is told so', async () => {
    const answer = await board.ask('/rejections/rej_00000000000000000000000000/recheck', { method: 'POST' });
    expect(answer).toMatchObject({ status: 404, json: { code: 'rejection_unknown' } });
  });
});
