import type { DataSource } from 'typeorm';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { newSchema, writeSchema } from '../../../src/relay/payload-schemas/schema-node';
import { SchemaVersions } from '../../../src/relay/payload-schemas/schema-versions.store';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START, type ScratchStore } from '../../support/daemon/scratch-journal';

const TYPE = 'deal.updated';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

onEachEngine('versions of a schema', (open) => {
  let store: ScratchStore;
  let source: DataSource;
  let versions: SchemaVersions;
  let examiner: PayloadExaminer;

  const load = async () => {
    versions = new SchemaVersions(source, store.journal, store.clock, new TimeBounds(store.clock));
    await versions.load();
  };

  beforeEach(async () => {
    store = await open();
    source = await store.openSource([]);
    examiner = new PayloadExaminer(newSchema(1, START));
    await load();
  });
  afterEach(async () => {
    await source.destroy();
    await store.remove();
  });

  /** Stores an event, and examines a payload as if it were its. @returns the id of the event */
  async function receive(data: object): Promise<string> {
    const outcome = await store.journal.append(draft(examiner.schema.root.count), () => []);
    const { seq, id } = outcome as { seq: number; id: string };
    examiner.examine({ data }, seq, store.clock.now());
    return id;
  }

  const receiveMany = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, id) => receive({ id })));

  /** What the service does every minute. @returns the number of the version that was made */
  async function check(): Promise<number | null> {
    const version = await versions.next(TYPE, writeSchema(examiner.schema));
    if (version === null) return null;
    await store.journal.change({ statements: versions.statementsFor(version) });
    versions.wasStored(version);
    return version.version;
  }

  it('the first is made after 50 events', async () => {
    await receiveMany(49);
    expect([await check(), versions.stateOf(TYPE)]).toEqual([null, 'learning']);
    await receive({ id: 50 });
    expect([await check(), versions.stateOf(TYPE)]).toEqual([1, 'stable']);
    expect(await versions.list(TYPE)).toMatchObject([{ version: 1, changes: [], created_at: START }]);
  });

  it('or after a day', async () => {
    await receive({ id: 1 });
    store.clock.time += 23 * HOUR_MS;
    expect(await check()).toBeNull();
    store.clock.time += HOUR_MS;
    expect(await check()).toBe(1);
  });

  it('another follows ten minutes after the first change, with all since then and their events', async () => {
    await receiveMany(100);
    await check();
    const added = await receive({ id: 1, note: 'x' });
    expect(await check()).toBeNull();
    store.clock.time += 9 * MINUTE_MS;
    const missing = await receive({ note: 'y' });
    expect([await check(), versions.stateOf(TYPE)]).toEqual([null, 'stable']);
    store.clock.time += MINUTE_MS;
    expect([await check(), versions.stateOf(TYPE)]).toEqual([2, 'changed']);
    await load();
    expect((await versions.list(TYPE))[0]).toMatchObject({
      version: 2,
      changes: [
        { path: 'data.id', change: 'missing', event_id: missing },
        { path: 'data.note', change: 'added', event_id: added },
      ],
    });
    expect([await check(), versions.stateOf(TYPE)]).toEqual([null, 'changed']);
    store.clock.time += 7 * 24 * HOUR_MS;
    expect(versions.stateOf(TYPE)).toBe('stable');
  });

  it('at most one is made in an hour, and the newest 20 are kept', async () => {
    await receiveMany(50);
    await check();
    for (let version = 2; version <= 22; version += 1) {
      await receive({ id: 1, [`key_${'x'.repeat(version)}`]: 1 });
      expect(await check()).toBeNull();
      store.clock.time += version === 2 ? 10 * MINUTE_MS : 50 * MINUTE_MS;
      if (version > 2) expect(await check()).toBeNull();
      store.clock.time += version === 2 ? 0 : 10 * MINUTE_MS;
      expect(await check()).toBe(version);
    }
    expect((await versions.list(TYPE)).map(({ version }) => version)).toEqual(
      Array.from({ length: 20 }, (_, i) => 22 - i),
    );
    expect(await versions.find(TYPE, 2)).toBeUndefined();
    expect(await versions.find(TYPE, 3)).toMatchObject({ version: 3 });
  });
});
