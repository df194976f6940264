import { entityChanges, entityDetail, eventChanges } from '../../../src/contract/entity';
import { explanation } from '../../../src/contract/explanation';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 0, 0, second)).toISOString();
const state = (entity: string, query = '') =>
  switchboard.read(entityDetail, `/entities/${encodeURIComponent(entity)}${query}`);
const changesOf = (event: string) => switchboard.read(eventChanges, `/events/${event}/changes`);
const send = async (type: string, data: Record<string, unknown>) => {
  const id = await switchboard.emit(type, { nonce: undefined, ...data });
  return switchboard.event(id);
};

describe('the state of an entity', () => {
  it('is the record of its newest version, now and after each event', async () => {
    const created = await send('deal.created', { id: 1, status_id: 1, updated_at: at(1) });
    const moved = await send('deal.updated', { id: 1, status_id: 2, updated_at: at(2) });
    switchboard.clock.move(1_000);
    const between = new Date(switchboard.clock.now()).toISOString();
    switchboard.clock.move(1_000);
    const deleted = await send('deal.deleted', { id: 1, status_id: 2, updated_at: at(3) });

    expect(await state('deal:1')).toMatchObject({
      entity: 'deal:1',
      kind: 'deal',
      entity_id: '1',
      state: 'deleted',
      updated_at: at(3),
      event_id: deleted.id,
      event_type: 'deal.deleted',
      horizon: { seq: 0, at: null },
      coverage: { complete: false, since: expect.any(String) },
    });
    // The newest event may be one of Switchboard itself by now.
    expect(await state('deal:1', `?as_of_seq=${deleted.seq}`)).toMatchObject({
      state: 'deleted',
      as_of: { seq: deleted.seq, at: deleted.received_at },
    });
    expect(await state('deal:1', `?as_of_seq=${created.seq}`)).toMatchObject({
      state: 'present',
      record: { id: 1, status_id: 1, updated_at: at(1) },
      seq: created.seq,
    });
    expect(await state('deal:1', `?as_of=${between}`)).toMatchObject({ seq: moved.seq });
    const before = await switchboard.ask(`/entities/deal:1?as_of_seq=${created.seq - 1}`);
    expect(before).toMatchObject({ status: 404, json: { code: 'entity_unknown' } });
    const both = await switchboard.ask(`/entities/deal:1?as_of_seq=1&as_of=${between}`);
    expect(both).toMatchObject({ status: 400, json: { code: 'invalid_request' } });

    const compared = `/entities/deal:1/changes?from=${created.seq}&to=${between}`;
    expect(await switchboard.read(entityChanges, compared)).toMatchObject({
      from: { seq: created.seq },
      to: { seq: moved.seq },
      changes: [
        { path: 'data.status_id', before: 1, after: 2 },
        { path: 'data.updated_at', before: at(1), after: at(2) },
      ],
      truncated: false,
    });
  });

  it('does not go back when an older version arrives late, which is told of the event', async () => {
    const first = await send('deal.created', { id: 2, status_id: 1, updated_at: at(1) });
    const newest = await send('deal.updated', { id: 2, status_id: 3, updated_at: at(3) });
    const late = await send('deal.updated', { id: 2, status_id: 2, updated_at: at(2) });

    expect(await state('deal:2')).toMatchObject({ event_id: newest.id });
    expect(late).toMatchObject({ late: true });
    expect(await switchboard.read(explanation, `/events/${late.id}/explain`)).toMatchObject({ late: true });
    expect(await changesOf(late.id)).toMatchObject({
      previous_event_id: first.id,
      previous: 'known',
      late: true,
      known_event_id: newest.id,
      changes: [{ path: 'data.status_id', before: 1, after: 2 }, { path: 'data.updated_at' }],
    });
    expect(newest).toMatchObject({ late: false });
    expect(await changesOf(newest.id)).toMatchObject({ previous_event_id: first.id, late: false });
    expect(await changesOf(first.id)).toMatchObject({
      previous_event_id: null,
      previous: 'none',
      changes: [{ path: 'data.id', after: 2 }, { path: 'data.status_id' }, { path: 'data.updated_at' }],
    });
  });

  it('before the first event of an old entity is not known', async () => {
    const event = await send('deal.updated', { id: 3, status_id: 1 });
    expect(await changesOf(event.id)).toMatchObject({ previous: 'unknown', changes: [] });
  });

  it('has the exact bytes of the record, whatever characters are in its id', async () => {
    const id = `a/b%2Fc ${'ü'.repeat(90)}`;
    const record = `{"id":"${id}",  "number":9007199254740993, "price":1.10}`;
    const text = `{"event":"deal.created","timestamp":"${at(1)}","webhook_id":"${switchboard.webhook.webhook_id}","data":${record}}`;
    const body = Buffer.from(text);
    await switchboard.notify({ body, signature: switchboard.upstream.sign(switchboard.webhook, body) });
    const { status, text: answer } = await switchboard.ask(`/entities/${encodeURIComponent(`deal:${id}`)}`);
    expect({ status, answer }).toMatchObject({ status: 200, answer: expect.stringContaining(record) });
  });
});
