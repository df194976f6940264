import { randomGenerator } from '../../support/random-generator';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';
import { expectedPrevious, expectedState, type ModelEvent } from '../../support/entity-model';

const EVENTS = 1_900;
const ENTITIES = Array.from({ length: 50 }, (_, i) => `deal:${i}`);

const NOTHING = { known: null, previous: null };

onEachEngine('states of entities', (open) => {
  let scratch: ScratchStore;
  let states: EntityStatesQuery;

  beforeEach(async () => {
    scratch = await open();
    states = new EntityStatesQuery(scratch.reader);
  });

  afterEach(() => scratch.remove());

  const appendAll = (events: readonly ModelEvent[]) =>
    Promise.all(
      events.map(({ seq, entity, version, isReadable }) => {
        const updatedAt = version === null ? undefined : new Date(version).toISOString();
        const body = Buffer.from(
          JSON.stringify({ data: { id: entity.slice(5), seq, updated_at: updatedAt } }),
        );
        return scratch.journal.append(
          draft(seq, { entity, body, unreadable: isReadable ? null : 'The field timestamp is missing.' }),
          to(),
        );
      }),
    );

  it('are those of a model, at any seq, with late events, and events without a version, in any order', async () => {
    const random = randomGenerator(20_261_127);
    const below = (limit: number) => Math.floor(random() * limit);
    const events = Array.from({ length: EVENTS }, (_, i): ModelEvent => {
      const isLate = below(4) === 0;
      const version = START + (isLate ? i - below(400) : i) * 1_000;
      return {
        seq: i + 1,
        entity: ENTITIES[below(ENTITIES.length)]!,
        version: below(12) === 0 ? null : version,
        isReadable: below(20) > 0,
      };
    });
    const compareAt = async (seq: number) => {
      const found = await states.states(ENTITIES, seq);
      const seqs = new Map(found.map((state) => [state.entity, [state.seq, state.version]]));
      const expected = ENTITIES.map((entity) => {
        const event = expectedState(events, entity, seq);
        return [seq, entity, event && [event.seq, event.version]];
      });
      expect(ENTITIES.map((entity) => [seq, entity, seqs.get(entity) ?? null])).toEqual(expected);
    };
    // The first thousand are indexed by a pass; of the rest, half are from before a restart.
    await appendAll(events.slice(0, 1_000));
    await compareAt(990);
    await appendAll(events.slice(1_000, 1_400));
    await scratch.reopen();
    await appendAll(events.slice(1_400));
    for (let i = 0; i < 100; i += 1) await compareAt(below(EVENTS + 1));
    const before = await states.before(events.map(({ seq }) => seq));
    const compared = events.map(({ seq }) => [
      seq,
      before.get(seq)!.known?.seq,
      before.get(seq)!.previous?.seq,
    ]);
    const expected = events.map((event) => {
      const { known, previous } = event.isReadable ? expectedPrevious(events, event) : NOTHING;
      return [event.seq, known?.seq, previous?.seq];
    });
    expect(compared).toEqual(expected);
  });
});
