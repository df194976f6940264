import { until } from '../../support/until';
import { resent } from '../../../src/contract/replay';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import {
  SECOND,
  act,
  emitted,
  ended,
  get,
  idsOf,
  ofReplay,
  other,
  preview,
  receiver,
  start,
  startAgain,
  switchboard,
  target,
  testNumber,
  type,
  useReplays,
} from './many-events';

useReplays();

const MINUTE = 60 * SECOND;

describe('the rate of a replay', () => {
  it('is observed, by the clock', async () => {
    const ids = await emitted(6);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first arrives', () => ofReplay(created.id).length === 1);
    for (let sent = 1; sent < ids.length; sent += 1) {
      // Another replay ends, so this one has had its turns meanwhile.
      const elsewhere = await start({ filter: { types: ['nothing.at_all'] } });
      await ended(elsewhere.id);
      expect((await get(created.id)).events).toBe(sent);
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    await ended(created.id);
    expect(idsOf(ofReplay(created.id))).toEqual(ids);
  });

  it('follows the intervals between arrivals, divided by the factor', async () => {
    const one = await switchboard.emit(type);
    switchboard.clock.move(10 * MINUTE);
    const second = await switchboard.emit(type);
    switchboard.clock.move(30 * MINUTE);
    const third = await switchboard.emit(type);
    for (const id of [one, second, third])
      await switchboard.deliveryOnce(id, target.id, ({ state }) => state === 'succeeded');
    const request = { filter: { types: [type] }, rate: { pace: 10 } };
    expect((await preview(request)).duration_s).toBeCloseTo(4 * 60, 0);
    const created = await start(request);
    const sent = () => idsOf(ofReplay(created.id));
    await until('the first arrives', () => sent().length === 1);
    switchboard.clock.move(50 * SECOND);
    await until('the replay has run', async () => (await get(created.id)).events === 1);
    expect(sent()).toEqual([one]);
    switchboard.clock.move(11 * SECOND);
    await until('the second arrives', () => sent().length === 2);
    switchboard.clock.move(170 * SECOND);
    expect((await get(created.id)).eta_s).toBeCloseTo(180, 0);
    expect(sent()).toEqual([one, second]);
    switchboard.clock.move(10 * SECOND);
    await ended(created.id);
    expect(sent()).toEqual([one, second, third]);
  });
});

describe('a running replay', () => {
  it('stops while it is paused, and continues at its position', async () => {
    const ids = await emitted(4);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first arrives', () => ofReplay(created.id).length === 1);
    expect(await act(created.id, 'pause')).toMatchObject({ state: 'paused', events: 1, eta_s: null });
    switchboard.clock.move(10 * MINUTE);
    const elsewhere = await start({ filter: { types: ['nothing.at_all'] } });
    await ended(elsewhere.id);
    expect(ofReplay(created.id)).toHaveLength(1);
    expect(await act(created.id, 'resume')).toMatchObject({ state: 'running', events: 1 });
    for (let sent = 1; sent < ids.length; sent += 1) {
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    await ended(created.id);
    expect(idsOf(ofReplay(created.id))).toEqual(ids);
  });

  it('is cancelled with its queued deliveries: nothing is sent afterwards', async () => {
    const ids = await emitted(5);
    await switchboard.ask(`/targets/${target.id}/pause`, { method: 'POST' });
    const created = await start({ filter: { types: [type] } });
    await until('the deliveries are created', async () => (await get(created.id)).deliveries === ids.length);
    expect(await act(created.id, 'cancel')).toMatchObject({ state: 'cancelling' });
    expect(await ended(created.id)).toMatchObject({
      state: 'cancelled',
      report: [{ target_id: target.id, deliveries: 5, sent: 0, open: 0, cancelled: 5 }],
    });
    await switchboard.ask(`/targets/${target.id}/resume`, { method: 'POST' });
    const live = await switchboard.emit(type);
    await until('the live event arrives', () => receiver.of(live).length === 1);
    expect(ofReplay(created.id)).toEqual([]);
    const response = await switchboard.ask(`/replays/${created.id}/resume`, { method: 'POST' });
    expect(response).toMatchObject({ status: 409, json: { code: 'replay_ended' } });
  });

  it('gives priority to live deliveries', async () => {
    const slow = await switchboard.addTarget(`slow ${testNumber}`, other.url, [type], {
      policy: { concurrency: 2 },
    });
    const ids = await emitted(30);
    for (const id of ids) await switchboard.deliveryOnce(id, slow.id, ({ state }) => state === 'succeeded');
    other.respondWith((response) => setTimeout(() => response.writeHead(200).end(), 40));
    const created = await start({ filter: { types: [type] }, target_ids: [slow.id] });
    await until('it has started', () => ofReplay(created.id, other).length > 0);
    const live = await switchboard.emit(type);
    await until('the live event arrives', () => other.of(live).length === 1);
    expect(ofReplay(created.id, other).length).toBeLessThan(15);
    await ended(created.id);
    await switchboard.removeTarget(slow);
  });

  it('has separate lanes: stuck live deliveries do not delay it', async () => {
    const ordered = await switchboard.addTarget(`ordered ${testNumber}`, other.url, [type], {
      policy: { ordering: 'entity', retry: { delays_s: [3_600] } },
    });
    other.respondWith(500);
    const stuck = await switchboard.emit(type, { id: 9_001 });
    await switchboard.deliveryOnce(stuck, ordered.id, ({ state }) => state === 'retrying');
    other.respondWith(200);
    const behind = await switchboard.emit(type, { id: 9_001, name: 'Behind' });
    await switchboard.deliveryOnce(behind, ordered.id, ({ state }) => state === 'waiting');
    const created = await start({ filter: { types: [type], q: 'behind' }, target_ids: [ordered.id] });
    expect(await ended(created.id)).toMatchObject({ report: [{ target_id: ordered.id, succeeded: 1 }] });
    expect(idsOf(ofReplay(created.id, other))).toEqual([behind]);
    expect(other.of(behind)).toHaveLength(1);
    expect(other.of(stuck)).toHaveLength(1);
    await switchboard.removeTarget(ordered);
  });

  it('continues at its exact position after a stop', async () => {
    const ids = await emitted(6);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    for (let sent = 0; sent < 3; sent += 1) {
      await until('the next arrives', () => ofReplay(created.id).length > sent);
      switchboard.clock.move(50 * SECOND);
    }
    await switchboard.stop();
    await startAgain();
    const sentBefore = ofReplay(created.id).length;
    for (let sent = sentBefore; sent < ids.length; sent += 1) {
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    await ended(created.id);
    expect(idsOf(ofReplay(created.id))).toEqual(ids);
  });
});

describe('an edited event', () => {
  it('is sent manually with the new payload, marked, without the signature of Co-Pilot, and the old one is kept', async () => {
    const [id] = await emitted(1);
    const live = receiver.of(id!)[0]!;
    const resend = (body: unknown) =>
      switchboard.read(resent, `/events/${id!}/resend`, {
        method: 'POST',
        json: { body, target_ids: [target.id] },
      });
    const created = await resend({ event: type, data: { edited: 1 } });
    await until('the edited event arrives', () => receiver.of(id!).length === 2);
    const edited = receiver.of(id!)[1]!;
    expect(edited.body.toString()).toBe(JSON.stringify({ event: type, data: { edited: 1 } }));
    expect(edited.headers).toMatchObject({
      'webhook-id': id,
      'switchboard-edited': 'true',
      'switchboard-trigger': 'manual',
      'switchboard-delivery': created.delivery_ids[0],
    });
    expect(live.headers).toHaveProperty(SIGNATURE_HEADER);
    expect(live.headers).not.toHaveProperty('switchboard-edited');
    expect(edited.headers).not.toHaveProperty(SIGNATURE_HEADER);
    expect(await switchboard.delivery(created.delivery_ids[0]!)).toMatchObject({
      trigger: 'manual',
      edited: true,
    });
    expect((await switchboard.ask(`/events/${id!}/body`)).text).toBe(live.body.toString());

    await resend('any text');
    await until('the text arrives', () => receiver.of(id!).length === 3);
    expect(receiver.of(id!)[2]!.body.toString()).toBe('any text');
    await switchboard.ask(`/deliveries/${created.delivery_ids[0]!}/retry`, { method: 'POST' });
    await until('the retry arrives', () => receiver.of(id!).length === 4);
    expect(receiver.of(id!)[3]!.body).toEqual(edited.body);
    expect(receiver.of(id!)[3]!.headers).toMatchObject({ 'switchboard-edited': 'true' });
  });
});
