import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { SchemaFollower } from '../../../src/relay/payload-schemas/schema-follower';
import { newSchema, readSchema, writeSchema } from '../../../src/relay/payload-schemas/schema-node';
import { SqliteReader } from '../../../src/relay/database/sqlite/sqlite-reader';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, ScratchJournal, START, type ScratchStore } from '../../support/daemon/scratch-journal';
import { until } from '../../support/until';

const many = <Value>(count: number, of: (i: number) => Value) =>
  Array.from({ length: count }, (_, i) => of(i));

onEachEngine('the thread that examines payloads', (open) => {
  let store: ScratchStore;
  let follower: SchemaFollower;
  let failure: unknown;

  beforeEach(async () => {
    store = await open();
    failure = undefined;
  });
  afterEach(async () => {
    await follower.stop();
    await store.remove();
  });

  const receive = (payloads: readonly object[], type = 'deal.updated') =>
    Promise.all(
      payloads.map((payload, i) =>
        store.journal.append(draft(i, { type, body: Buffer.from(JSON.stringify(payload)) }), () => []),
      ),
    );

  /** Follows the events until the last one. */
  async function follow(schemas: Map<string, string>, count: number) {
    const { reader } = store;
    const file = reader instanceof SqliteReader ? (store as ScratchJournal).file : null;
    follower = new SchemaFollower(
      file,
      reader,
      async () => true,
      schemas,
      0,
      () => undefined,
      (error) => {
        failure = error;
      },
    );
    follower.start();
    await until('all are examined', () => failure !== undefined || follower.through === count);
    expect(failure).toBeUndefined();
    return new Map([...follower.schemas].map(([type, text]) => [type, readSchema(text)]));
  }

  it('examines each event once, in several steps', async () => {
    await receive(many(201, (id) => ({ data: { id } })));
    const { events, root } = (await follow(new Map(), 201)).get('deal.updated')!;
    expect([events, root.count, root.properties!.get('data')!.properties!.get('id')!.types]).toEqual([
      201,
      201,
      { integer: [201, 1] },
    ]);
  });

  it('lives within its limit of memory with 64 types at theirs, and a payload of 5,000 keys', async () => {
    const examiner = new PayloadExaminer(newSchema(1, START));
    const wide = Object.fromEntries(many(5_000, (i) => [`key_${i}`, [{ value: i }, 'x']]));
    examiner.examine({ ...wide }, 1, START);
    expect(examiner.schema.truncated).toBe(true);
    const full = writeSchema(examiner.schema);
    await receive(
      many(4, (i) => ({ [`id${i}`]: 1, ...wide })),
      'type.0',
    );
    const schemas = await follow(new Map(many(64, (i) => [`type.${i}`, full])), 4);
    expect(schemas.get('type.0')!.root.count).toBe(5);
  });
});
