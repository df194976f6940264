import { EntityLists } from '../../support/daemon/entity-lists';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';
import { expectedState, type ModelEvent } from '../../support/entity-model';
import { randomGenerator } from '../../support/random-generator';

const EVENTS = 1_300;
const NAMES = [
  ...Array.from({ length: 60 }, (_, i) => `deal:${i}`),
  ...Array.from({ length: 9 }, (_, i) => `contact:${i}/%`),
  'contact:\u{1F33B}',
  'contact:\uFFEE',
];

/** A body that tells which event it is of. */
const bodyOf = ({ seq, version }: ModelEvent) => ({
  data: { seq, part: seq % 3, updated_at: version === null ? undefined : new Date(version).toISOString() },
});
const isDeleted = ({ seq }: ModelEvent) => seq % 7 === 0;
const byName = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

onEachEngine('lists of entities', (open) => {
  let scratch: ScratchStore;
  let lists: EntityLists;
  let events: ModelEvent[];

  beforeEach(async () => {
    scratch = await open();
    const random = randomGenerator(20_261_128);
    const below = (limit: number) => Math.floor(random() * limit);
    events = Array.from({ length: EVENTS }, (_, i): ModelEvent => ({
      seq: i + 1,
      entity: NAMES[below(NAMES.length)]!,
      version: below(12) === 0 ? null : START + (below(4) === 0 ? i - below(400) : i) * 1_000,
      isReadable: below(20) > 0,
    }));
    await Promise.all(
      events.map((event) =>
        scratch.journal.append(
          draft(event.seq, {
            entity: event.entity,
            type: isDeleted(event) ? 'deal.deleted' : 'deal.updated',
            body: Buffer.from(JSON.stringify(bodyOf(event))),
            unreadable: event.isReadable ? null : 'The field timestamp is missing.',
          }),
          to(),
        ),
      ),
    );
    lists = await EntityLists.open(scratch);
  });

  afterEach(async () => {
    await lists.close();
    await scratch.remove();
  });

  /** The states of all entities at a `seq`, by name. */
  const statesAt = (seq: number) =>
    NAMES.toSorted(byName).flatMap((entity) => expectedState(events, entity, seq) ?? []);
  const newest = (entity: string, seq: number) =>
    events.findLast((event) => event.entity === entity && event.isReadable && event.seq <= seq)!.seq;

  it('have each entity once, in its state at any seq, in any order, on pages of any size', async () => {
    for (const seq of [1, 30, 700, 1_000, 1_150, EVENTS]) {
      const expected = statesAt(seq);
      const named = await lists.list({ sort: 'entity', state: 'all', as_of_seq: seq, limit: 7 });
      const byState = named.map((state) => [state.entity, state.seq]);
      expect([seq, byState]).toEqual([seq, expected.map((state) => [state.entity, state.seq])]);
      const changed = await lists.list({ state: 'all', as_of_seq: seq, limit: 11 });
      const order = expected.toSorted((a, b) => newest(b.entity, seq) - newest(a.entity, seq));
      expect([seq, changed.map(({ seq: of }) => of)]).toEqual([seq, order.map(({ seq: of }) => of)]);
      expect(await lists.count({ state: 'all', as_of_seq: seq })).toEqual({
        count: expected.length,
        estimated: false,
      });
    }
  });

  it('have those that match the filters', async () => {
    const all = statesAt(EVENTS);
    const listed = async (query: object) =>
      (await lists.list({ sort: 'entity', ...query })).map(({ entity }) => entity);
    const where = (isWanted: (state: ModelEvent) => boolean) =>
      all.filter(isWanted).map(({ entity }) => entity);
    expect(await listed({})).toEqual(where((state) => !isDeleted(state)));
    expect(await listed({ state: 'deleted' })).toEqual(where(isDeleted));
    expect(await listed({ kind: 'contact', state: 'all' })).toEqual(
      where(({ entity }) => entity.startsWith('contact:')),
    );
    const part = { payload: '{"data.part":1}', state: 'all' };
    expect(await listed(part)).toEqual(where(({ seq }) => seq % 3 === 1));
    expect((await lists.count(part)).count).toBe(where(({ seq }) => seq % 3 === 1).length);
    const seq = all[5]!.seq;
    expect(await listed({ q: `"SEQ":${seq},`, state: 'all' })).toEqual([all[5]!.entity]);
  });

  it('have the entities that differ between two points in time', async () => {
    const [from, until] = [900, 1_200];
    const changed = await lists.changed({ from: String(from), to: String(until), limit: 5 });
    const earlier = new Map(statesAt(from).map((state) => [state.entity, state]));
    const expected = statesAt(until)
      .filter(({ entity, seq }) => earlier.get(entity)?.seq !== seq)
      .toSorted((a, b) => newest(b.entity, until) - newest(a.entity, until));
    expect(changed.map(({ entity }) => entity)).toEqual(expected.map(({ entity }) => entity));
    const after = expected[0]!;
    const before = earlier.get(after.entity)!;
    expect(changed[0]!.changes).toContainEqual({ path: 'data.seq', before: before.seq, after: after.seq });
    expect(changed.find(({ entity }) => !earlier.has(entity))?.change ?? 'first_seen').toBe('first_seen');
  });
});
