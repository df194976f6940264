import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { EntityFloor } from '../../../src/relay/events/retention/entity-floor.service';
import { EventTransformer } from '../../../src/relay/transforms/event-transformer';
import type { TransformRequest } from '../../../src/relay/transforms/transform-messages';
import type { Transformer } from '../../../src/relay/transforms/transformer';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const TARGET = 3;
const ENTITY = 'deal:1';
const NAMES_IT = '$previous.data.id';

onEachEngine('what an event is compared with', (open) => {
  let scratch: ScratchStore;
  let requests: TransformRequest[];
  let transformer: EventTransformer;

  beforeEach(async () => {
    scratch = await open();
    requests = [];
    const evaluate = async (request: TransformRequest) => {
      requests.push(request);
      return { body: '', tookMs: 0 };
    };
    transformer = new EventTransformer({ evaluate } as Transformer, scratch.reader, scratch.journal);
  });

  afterEach(() => scratch.remove());

  /** Stores an event that says its `seq`, with this version. */
  const append = (seq: number, version: number, type = 'deal.updated') => {
    const data = { seq, updated_at: new Date(START + version).toISOString() };
    const body = Buffer.from(JSON.stringify({ data }));
    return scratch.journal.append(draft(seq, { type, entity: ENTITY, body }), to(TARGET));
  };
  const evaluate = async (seq: number, { expression = NAMES_IT, version = 1 } = {}) => {
    const event = (await scratch.journal.readEvent(seq))!;
    const owner = { name: '', number: TARGET, transformVersion: version };
    return transformer.evaluate({ expression, content_type: '' }, event, owner);
  };
  /** The `seq` in `$previous`; null if that is null, undefined if it has no value. */
  const previousOf = async (seq: number) => {
    await evaluate(seq);
    const text = requests.at(-1)!.previous;
    if (text === undefined) return undefined;
    return (JSON.parse(text) as { data: { seq: number } } | null)?.data.seq ?? null;
  };
  const attempt = async (seq: number) => {
    const { previous } = await evaluate(seq);
    const outcome = result(seq, TARGET);
    Object.assign(outcome.attempt, { transform: 1, previous: previous!.seq });
    await scratch.journal.saveResult(outcome);
  };
  const prune = async (seqs: number[], { keepsStates = true } = {}) => {
    if (keepsStates)
      await new EntityFloor(scratch.reader, scratch.journal, new EntityStatesQuery(scratch.reader)).keep(
        seqs,
      );
    await scratch.journal.prune({ seqs, removeIdentitiesBefore: null, beforeRemoval: [] });
  };

  it('is the payload before, null for one that created its entity, and nothing if that is not known', async () => {
    await append(1, 0, 'deal.created');
    await append(2, 10);
    await append(3, 5);
    await scratch.journal.append(draft(4), to(TARGET));
    expect(await Promise.all([1, 2, 4].map(previousOf))).toEqual([null, 1, undefined]);
    // An older version arrives late.
    expect(await previousOf(3)).toBe(1);
  });

  it('is not looked up for an expression that does not name it', async () => {
    const event = { ...draft(1), seq: 1 };
    transformer = new EventTransformer(
      { evaluate: () => Promise.resolve(null) } as unknown as Transformer,
      { all: () => Promise.reject(new Error('looked up')) } as unknown as ScratchStore['reader'],
      scratch.journal,
    );
    const transform = { expression: '$previously', content_type: '' };
    expect(await transformer.evaluate(transform, event, { name: '' })).toEqual({
      outcome: null,
      previous: null,
    });
  });

  it('is the same after it was removed with its state kept; otherwise no other takes its place', async () => {
    for (const seq of [1, 2, 3]) await append(seq, seq);
    await attempt(2);
    await attempt(3);
    await prune([1]);
    expect(await previousOf(2)).toBe(1);
    await prune([2], { keepsStates: false });
    requests = [];
    expect((await evaluate(3)).outcome).toMatchObject({
      failure: { code: 'previous_unavailable', position: 0 },
    });
    expect(requests).toEqual([]);
    // Another version may send another body.
    expect((await evaluate(3, { version: 2 })).outcome).toEqual({ body: '', tookMs: 0 });
  });
});
