import { pageOf } from '../../../src/contract/page';
import { replaySummary } from '../../../src/contract/replay';
import { until } from '../../support/until';
import {
  SECOND,
  act,
  emitted,
  ended,
  idsOf,
  ofReplay,
  other,
  preview,
  receiver,
  start,
  switchboard,
  target,
  testNumber,
  type,
  useReplays,
} from './many-events';

useReplays();

describe('a replay of many events', () => {
  it('is of exactly the chosen events, to targets that did not receive them', async () => {
    const ids = await emitted(5);
    const chosen = [ids[1]!, ids[3]!];
    const events = await Promise.all(chosen.map((id) => switchboard.event(id)));
    const elsewhere = await switchboard.addTarget(`chosen ${testNumber}`, other.url, ['nothing']);
    const filter = { seqs: events.map(({ seq }) => seq) };
    const request = { filter, target_ids: [elsewhere.id] };
    expect(await preview(request)).toMatchObject({
      events: 2,
      deliveries: 2,
      by_type: [{ type, events: 2 }],
    });
    const { id } = await start(request);
    expect(await ended(id)).toMatchObject({ state: 'done', events: 2, filter });
    expect(idsOf(ofReplay(id, other)).toSorted()).toEqual(chosen.toSorted());
    expect(ofReplay(id)).toEqual([]);
  });

  it('sends what its preview counted to the original targets, once each, and reports the outcome', async () => {
    const ids = await emitted(12);
    const elsewhere = await switchboard.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const request = { filter: { types: [type] } };
    const counted = await preview(request);
    expect(counted).toMatchObject({
      events: 12,
      deliveries: 12,
      estimated: false,
      by_type: [{ type, events: 12 }],
      by_target: [{ target_id: target.id, deliveries: 12 }],
      duration_s: null,
    });
    const first = await switchboard.event(ids[0]!);
    const last = await switchboard.event(ids.at(-1)!);
    expect([counted.oldest_at, counted.newest_at]).toEqual([first.received_at, last.received_at]);

    const created = await start(request);
    expect(created).toMatchObject({ total: 12, ended_at: null });
    // System events may have been stored in between.
    expect(created.until_seq).toBeGreaterThanOrEqual(counted.until_seq);
    const done = await ended(created.id);
    expect(idsOf(ofReplay(created.id)).toSorted()).toEqual(ids.toSorted());
    expect(ofReplay(created.id, other)).toEqual([]);
    expect(done).toMatchObject({
      state: 'done',
      events: 12,
      deliveries: 12,
      report: [
        { target_id: target.id, deliveries: 12, sent: 12, open: 0, succeeded: 12, dead: 0, cancelled: 0 },
      ],
    });
    const [hit] = ofReplay(created.id);
    expect(hit!.headers).toMatchObject({ 'switchboard-trigger': 'replay', 'switchboard-attempt': '1' });
    expect(hit!.body).toEqual(receiver.of(String(hit!.headers['webhook-id']))[0]!.body);
    const { data } = await switchboard.read(pageOf(replaySummary), '/replays?limit=1');
    expect(data).toMatchObject([{ id: created.id, state: 'done' }]);
    await switchboard.removeTarget(elsewhere);
  });

  it('goes to other targets if they are named', async () => {
    const ids = await emitted(3);
    const elsewhere = await switchboard.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const created = await start({ filter: { types: [type] }, target_ids: [elsewhere.id] });
    await ended(created.id);
    expect(idsOf(ofReplay(created.id, other)).toSorted()).toEqual(ids.toSorted());
    expect(ofReplay(created.id)).toEqual([]);
    await switchboard.removeTarget(elsewhere);
  });

  it('leaves out events that arrive after its start', async () => {
    const before = await emitted(3);
    const created = await start({ filter: { types: [type] }, rate: { per_second: 0.02 } });
    await until('the first arrives', () => ofReplay(created.id).length === 1);
    await act(created.id, 'pause');
    const later = await switchboard.emit(type);
    await act(created.id, 'resume');
    for (let sent = 1; sent < before.length; sent += 1) {
      switchboard.clock.move(50 * SECOND);
      await until('the next arrives', () => ofReplay(created.id).length > sent);
    }
    switchboard.clock.move(50 * SECOND);
    expect(await ended(created.id)).toMatchObject({ total: 3, events: 3 });
    expect(idsOf(ofReplay(created.id))).toEqual(before);
    expect(receiver.of(later)).toHaveLength(1);
  });

  it('includes what the filter names: entity, text, time, original outcome and target', async () => {
    const [one = '', two = ''] = await emitted(2, (i) => ({
      id: 7_000 + i,
      name: i === 0 ? 'Alpha' : 'Beta',
    }));
    const since = new Date(switchboard.clock.now()).toISOString();
    receiver.respondWith(400);
    const failing = await switchboard.addTarget(`failing ${testNumber}`, receiver.url, [type], {
      policy: { retry: { delays_s: [] } },
    });
    const three = await switchboard.emit(type, { id: 7_000, name: 'Gamma' });
    await switchboard.deliveryOnce(three, failing.id, ({ state }) => state === 'dead');
    receiver.respondWith(200);
    const first = await switchboard.event(one);
    const cases: [filter: object, expected: string[]][] = [
      // First, since the other replays deliver the third event.
      [{ outcomes: ['succeeded'] }, [one, two]],
      [{ q: 'beta' }, [two]],
      [{ since }, [three]],
      [{ until: since }, [one, two]],
      [{ outcomes: ['dead'] }, [three]],
      [{ target: failing.id }, [three]],
      [{ types: ['deal.nothing*'] }, []],
      [{ types: [`*l.number_${testNumber}`], until_seq: first.seq }, [one]],
      ...(first.entity === null ? [] : [[{ entity: first.entity }, [one, three]] as [object, string[]]]),
    ];
    for (const [filter, expected] of cases) {
      const request = { filter: { types: [type], ...filter }, target_ids: [target.id] };
      expect({ filter, events: (await preview(request)).events }).toEqual({
        filter,
        events: expected.length,
      });
      const created = await start(request);
      await ended(created.id);
      expect({ filter, ids: idsOf(ofReplay(created.id)).toSorted() }).toEqual({
        filter,
        ids: expected.toSorted(),
      });
    }
    await switchboard.removeTarget(failing);
  });

  it('counts separately what it leaves out because a target is disabled', async () => {
    const disabled = await switchboard.addTarget(`disabled ${testNumber}`, receiver.url, [type]);
    const id = await switchboard.emit(type);
    await switchboard.deliveryOnce(id, disabled.id, ({ state }) => state === 'succeeded');
    await switchboard.ask(`/targets/${disabled.id}`, { method: 'PATCH', json: { enabled: false } });
    const request = { filter: { types: [type], target: disabled.id } };
    const leftOut = [{ target_id: disabled.id, deliveries: 1 }];
    expect(await preview(request)).toMatchObject({ events: 0, by_target: [], disabled_targets: leftOut });
    const named = await preview({ ...request, target_ids: [disabled.id] });
    expect(named).toMatchObject({ events: 1, by_target: leftOut, disabled_targets: [] });
    await switchboard.removeTarget(disabled);
  });

  it('goes only to the targets with the requested outcome', async () => {
    receiver.respondWith(400);
    const failing = await switchboard.addTarget(`failing ${testNumber}`, receiver.url, [type], {
      policy: { retry: { delays_s: [] } },
    });
    const fine = await switchboard.addTarget(`fine ${testNumber}`, other.url, [type]);
    const id = await switchboard.emit(type);
    await switchboard.deliveryOnce(id, failing.id, ({ state }) => state === 'dead');
    await switchboard.deliveryOnce(id, fine.id, ({ state }) => state === 'succeeded');
    receiver.respondWith(200);
    const request = { filter: { types: [type], outcomes: ['dead'] } };
    expect((await preview(request)).by_target).toEqual([{ target_id: failing.id, deliveries: 1 }]);
    const created = await start(request);
    expect(await ended(created.id)).toMatchObject({ report: [{ target_id: failing.id, succeeded: 1 }] });
    expect(ofReplay(created.id)).toHaveLength(1);
    expect(ofReplay(created.id, other)).toEqual([]);
    // It is no dead letter any longer.
    expect(await preview(request)).toMatchObject({ events: 0, deliveries: 0, by_target: [] });
    const delivered = { filter: { types: [type], target: failing.id, outcomes: ['succeeded'] } };
    expect((await preview(delivered)).by_target).toEqual([{ target_id: failing.id, deliveries: 1 }]);
    await switchboard.removeTarget(failing);
    await switchboard.removeTarget(fine);
  });

  it('sends what a target missed only once', async () => {
    const ids = await emitted(2);
    const elsewhere = await switchboard.addTarget(`elsewhere ${testNumber}`, other.url, ['nothing']);
    const request = { filter: { types: [type], missed_by: elsewhere.id }, target_ids: [elsewhere.id] };
    const created = await start(request);
    await ended(created.id);
    expect(idsOf(ofReplay(created.id, other)).toSorted()).toEqual(ids.toSorted());
    expect((await preview(request)).events).toBe(0);
    await switchboard.removeTarget(elsewhere);
  });
});

it('a replay of everything must be asked for', async () => {
  await emitted(1);
  const everything = await preview({ all: true });
  expect(everything.events).toBe(1);
  expect(await preview({ all: true, filter: { until_seq: everything.until_seq } })).toEqual(everything);
  const { filter, total, id } = await start({ all: true, rate: { per_second: 0.02 } });
  expect({ filter, total }).toEqual({ filter: {}, total: everything.events });
  await switchboard.ask(`/replays/${id}/cancel`, { method: 'POST' });

  const [missing, ambiguous] = ['selection_missing', 'selection_ambiguous'];
  const cases: [request: object, code: string | undefined][] = [
    [{}, missing],
    [{ all: false, filter: {} }, missing],
    [{ target_ids: [`tgt_${'0'.repeat(26)}`] }, missing],
    [{ filter: { q: ' ', payload: {} } }, missing],
    [{ all: true, filter: { types: ['deal.*'] } }, ambiguous],
  ];
  for (const path of ['/replays', '/replays/preview'])
    for (const [json, code] of cases) {
      const response = await switchboard.ask(path, { method: 'POST', json });
      expect({ asked: json, ...response }).toMatchObject({ status: 422, json: { code } });
    }
});

it('an invalid replay is rejected', async () => {
  const nothing = `rpl_${'0'.repeat(26)}`;
  const cases = [
    ['GET', `/replays/${nothing}`, undefined, 404, 'replay_unknown'],
    ['POST', `/replays/${nothing}/cancel`, undefined, 404, 'replay_unknown'],
    ['POST', '/replays', { all: true, target_ids: [`tgt_${'0'.repeat(26)}`] }, 404, 'target_unknown'],
    ['POST', '/replays', { rate: { per_second: 0 } }, 400, 'invalid_request'],
    ['POST', '/replays', { filter: { what: 1 } }, 400, 'invalid_request'],
    ['POST', '/replays/preview', { filter: { types: ['deal[x]'] } }, 400, 'invalid_request'],
  ] as const;
  for (const [method, path, json, status, code] of cases) {
    const response = await switchboard.ask(path, { method, ...(json !== undefined && { json }) });
    expect({ path, asked: json, ...response }).toMatchObject({ status, json: { code } });
  }
});
