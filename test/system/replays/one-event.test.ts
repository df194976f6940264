import { replay } from '../../../src/contract/replay';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { signedNotification } from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let switchboard: Switchboard;
let first: RecordingTarget;
let firstId: string;
let second: RecordingTarget;
let secondId: string;
let third: RecordingTarget;

beforeAll(async () => {
  first = await RecordingTarget.start();
  second = await RecordingTarget.start();
  third = await RecordingTarget.start();
  switchboard = await Switchboard.start();
  ({ id: firstId } = await switchboard.addTarget('first', first.url, ['replayed.*']));
  ({ id: secondId } = await switchboard.addTarget('second', second.url, ['replayed.*']));
});

afterAll(async () => {
  await switchboard.end();
  await Promise.all([first, second, third].map((one) => one.close()));
});

const send = (id: string, json: object) =>
  switchboard.read(replay, `/events/${id}/replay`, { method: 'POST', json });

describe('a replay', () => {
  it('creates new deliveries to the given targets, and leaves existing ones unchanged', async () => {
    const id = await switchboard.emit('replayed.event');
    for (const targetId of [firstId, secondId]) {
      await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    }
    const before = await switchboard.event(id);
    const created = await send(id, { target_ids: [secondId, secondId] });
    expect(created).toMatchObject({ event_id: id, target_ids: [secondId] });
    expect(created.delivery_ids).toHaveLength(1);
    await until(
      'the replay is delivered',
      async () => (await switchboard.delivery(created.delivery_ids[0]!)).state === 'succeeded',
    );

    const [live, again] = second.of(id);
    expect(first.of(id)).toHaveLength(1);
    expect(again!.body).toEqual(live!.body);
    expect(again!.headers).toMatchObject({
      'webhook-id': id,
      'switchboard-trigger': 'replay',
      'switchboard-replay': created.id,
      'switchboard-delivery': created.delivery_ids[0],
      'switchboard-attempt': '1',
    });
    expect(live!.headers).not.toHaveProperty('switchboard-replay');
    const after = await switchboard.event(id);
    expect(after.deliveries.filter(({ trigger }) => trigger === 'live')).toEqual(before.deliveries);
    expect(await switchboard.delivery(created.delivery_ids[0]!)).toMatchObject({
      trigger: 'replay',
      replay_id: created.id,
    });
  });

  it('goes to all targets that accept the event now, if none is given', async () => {
    const id = await switchboard.emit('replayed.later');
    const late = await switchboard.addTarget('late', third.url, ['replayed.later']);
    const off = await switchboard.addTarget('off', third.url, ['replayed.later'], { enabled: false });
    const created = await send(id, {});
    expect(created.target_ids.toSorted()).toEqual([firstId, secondId, late.id].toSorted());
    await until('the late one arrives', () => third.of(id).length === 1);
    await switchboard.removeTarget(late);
    await switchboard.removeTarget(off);
  });

  it('needs no body to go to all targets', async () => {
    const id = await switchboard.emit('replayed.bare');
    const response = await switchboard.ask(`/events/${id}/replay`, { method: 'POST' });
    expect(response.status).toBe(202);
    expect(replay.parse(response.json).target_ids).toHaveLength(2);
  });

  it('sends an unreadable event unchanged', async () => {
    const { json } = await switchboard.notify(signedNotification('not-utf8'));
    const { id } = json as { id: string };
    await send(id, { target_ids: [firstId] });
    await until('the replay arrives', () => first.of(id).length === 1);
    expect(first.of(id)[0]!.body).toEqual(signedNotification('not-utf8').body);
  });

  it('is rejected for an unknown event, without a target, and for an unknown target', async () => {
    const unmatched = await switchboard.emit('nobody.wants');
    const cases = [
      [
        `/events/${unmatched.replace('evt_0', 'evt_7').replace(/.{8}$/, '00000000')}/replay`,
        {},
        404,
        'event_unknown',
      ],
      [`/events/${unmatched}/replay`, {}, 409, 'no_target'],
      [`/events/${unmatched}/replay`, { target_ids: [`tgt_${'0'.repeat(26)}`] }, 404, 'target_unknown'],
      [`/events/${unmatched}/replay`, { target_ids: [] }, 400, 'invalid_request'],
      [`/events/${unmatched}/replay`, { target_ids: ['x'] }, 400, 'invalid_request'],
      [`/events/${unmatched}/replay`, { targets: [] }, 400, 'invalid_request'],
    ] as const;
    for (const [path, json, status, code] of cases) {
      expect(await switchboard.ask(path, { method: 'POST', json })).toMatchObject({ status, json: { code } });
    }
  });
});
