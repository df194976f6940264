import type { AgeLimit } from '../../../src/relay/ground/clock-corrections';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { EntityFloor, LOSE_STATES } from '../../../src/relay/events/retention/entity-floor.service';
import { EntityLists } from '../../support/daemon/entity-lists';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';
import { expectedState, type ModelEvent } from '../../support/entity-model';
import { randomGenerator } from '../../support/random-generator';

const EVENTS = 1_200;
const NAMES = Array.from({ length: 40 }, (_, i) => `deal:${i}`);

const upTo = (seq: number) => Array.from({ length: seq }, (_, i) => i + 1);

onEachEngine('the last states of entities', (open) => {
  let scratch: ScratchStore;
  let states: EntityStatesQuery;
  let floor: EntityFloor;
  let lists: EntityLists;
  let events: ModelEvent[];
  let below: (limit: number) => number;

  beforeEach(async () => {
    scratch = await open();
    states = new EntityStatesQuery(scratch.reader);
    floor = new EntityFloor(scratch.reader, scratch.journal, states);
    lists = await EntityLists.open(scratch);
    const random = randomGenerator(20_261_129);
    below = (limit) => Math.floor(random() * limit);
    events = Array.from({ length: EVENTS }, (_, i): ModelEvent => ({
      seq: i + 1,
      entity: NAMES[below(NAMES.length)]!,
      version: below(12) === 0 ? null : START + (below(4) === 0 ? i - below(300) : i) * 1_000,
      isReadable: below(20) > 0,
    }));
    await Promise.all(
      events.map(({ seq, entity, version, isReadable }) => {
        const updatedAt = version === null ? undefined : new Date(version).toISOString();
        const body = Buffer.from(JSON.stringify({ data: { seq, updated_at: updatedAt } }));
        const unreadable = isReadable ? null : 'The field timestamp is missing.';
        return scratch.journal.append(
          draft(seq, { entity, body, unreadable, receivedAt: START + seq * 1_000 }),
          to(),
        );
      }),
    );
  });

  afterEach(async () => {
    await lists.close();
    await scratch.remove();
  });

  const prune = (seqs: number[], losesStates = false) =>
    scratch.journal.prune({
      seqs,
      removeIdentitiesBefore: null,
      beforeRemoval: losesStates ? LOSE_STATES : [],
    });
  const instance = async () =>
    (
      await scratch.rows<{ through: number; since: number | null }>(
        'SELECT floor_through AS through, floor_since AS since FROM instance',
      )
    )[0];
  const rows = () =>
    scratch.rows<{ at: number }>('SELECT received_at AS at FROM entity_floor ORDER BY received_at');
  const compareAt = async (seq: number) => {
    const found = new Map((await states.states(NAMES, seq)).map((state) => [state.entity, state]));
    const told = NAMES.map((entity) => [seq, entity, found.get(entity)?.seq, found.get(entity)?.version]);
    const expected = NAMES.map((entity) => expectedState(events, entity, seq));
    expect(told).toEqual(NAMES.map((entity, i) => [seq, entity, expected[i]?.seq, expected[i]?.version]));
  };

  it('are as before, from the horizon on, whatever was removed, and kept twice or once', async () => {
    const stays = new Set(upTo(EVENTS).filter(() => below(15) === 0));
    for (let from = 0; from < 1_100; from += 137) {
      const some = upTo(from + 137).filter((seq) => seq > from && seq < 1_100 && !stays.has(seq));
      await floor.keep(some);
      await floor.keep(some);
      const removed = below(3) === 0 ? some.slice(0, 60) : some;
      await prune(removed);
      const { through } = (await instance())!;
      expect(through).toBe(some.at(-1));
      for (const seq of [through, through + 1 + below(EVENTS - through), EVENTS]) await compareAt(seq);
      if (removed !== some) await prune(some);
    }
    // Those with dead letters go later.
    const late = [...stays].filter((seq) => seq < 900);
    await floor.keep(late);
    await prune(late);
    for (const seq of [1_099, 1_150, EVENTS]) await compareAt(seq);
  });

  it('are listed once each, with those of which no event is stored', async () => {
    const gone = upTo(1_190);
    await floor.keep(gone);
    await prune(gone);
    const expected = NAMES.flatMap((entity) => expectedState(events, entity, EVENTS) ?? []);
    for (const sort of ['changed', 'entity']) {
      const listed = await lists.list({ sort, limit: 7 });
      expect(new Map(listed.map(({ entity, seq }) => [entity, seq]))).toEqual(
        new Map(expected.map(({ entity, seq }) => [entity, seq])),
      );
      expect(listed).toHaveLength(expected.length);
      const [removed] = listed.filter(({ seq }) => seq <= 1_190);
      expect(removed).toMatchObject({ event_id: null, source: 'floor', retained: false });
    }
    expect(await lists.count({})).toEqual({ count: expected.length, estimated: false });
    const one = expected.find(({ seq }) => seq <= 1_190)!;
    const payload = JSON.stringify({ 'data.seq': one.seq });
    expect(await lists.list({ payload })).toMatchObject([
      { entity: one.entity, record: { toString: expect.any(Function) } },
    ]);
    await expect(lists.list({ as_of_seq: 1_189 })).rejects.toMatchObject({ code: 'as_of_before_horizon' });
    const before = new Date(START + 1_000 * 600).toISOString();
    await expect(lists.list({ as_of: before })).rejects.toMatchObject({ code: 'as_of_before_horizon' });
  });

  it('of an event that a repair has made are synthetic, also once it is removed', async () => {
    const body = Buffer.from('{"data":{"id":-1}}');
    const made = { entity: 'deal:made', signatureHeader: '', signatureValue: 'rpr_1', body };
    await scratch.journal.append(draft(EVENTS + 1, made), to());
    await scratch.journal.append(draft(EVENTS + 2), to());
    const told = { entity: 'deal:made', source: 'synthetic', repair_id: 'rpr_1', retained: true };
    const payload = '{"data.id":-1}';
    expect(await lists.list({ payload })).toMatchObject([told]);
    await floor.keep([EVENTS + 1]);
    await prune([EVENTS + 1]);
    expect(await lists.list({ payload })).toMatchObject([{ ...told, retained: false, event_id: null }]);
  });

  it('are lost if they are not kept, and nothing outdated is told', async () => {
    await floor.keep(upTo(500));
    await prune(upTo(500));
    expect(await instance()).toEqual({ through: 500, since: START + 1_000 });
    await prune(upTo(900), true);
    expect(await instance()).toEqual({ through: 900, since: START + 901_000 });
    const found = await states.heads(NAMES, EVENTS);
    const known = found.filter(({ origin }) => origin !== null).map(({ entity }) => entity);
    expect(
      known.filter((entity) =>
        events.some((event) => event.entity === entity && event.seq > 500 && event.seq <= 900),
      ),
    ).toEqual([]);
  });

  it('are removed by age and for their size, the oldest first', async () => {
    await floor.keep(upTo(1_000));
    await prune(upTo(1_000));
    const times = (await rows()).map(({ at }) => at);
    const limit: AgeLimit = { before: times[10]!, kept: [] };
    await floor.removeOlder(limit, () => false);
    expect((await rows()).map(({ at }) => at)).toEqual(times.slice(10));
    expect((await instance())!.since).toBe(times[10]);
    let checks = 0;
    await floor.removeOldest(() => (checks += 1) > 2);
    expect(await rows()).toEqual([]);
  });
});
