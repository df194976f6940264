import {
  ERASED_BY_COMPARISON,
  ERASURE_RULES,
  HOLDS_NO_EVENTS,
} from '../../../src/relay/database/erasure-rules';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, result, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const NAMED = [...Object.keys(ERASURE_RULES), ...ERASED_BY_COMPARISON, ...HOLDS_NO_EVENTS];

const planned = () => [{ target: 1, lane: 'deal:1' }];

const TABLES = {
  SQLite: `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite#_%' ESCAPE '#'`,
  PostgreSQL: `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
};

onEachEngine('the rules of erasures', (open) => {
  let store: ScratchStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.remove());

  it('name every table once: add-a-column.md says where a new one belongs', async () => {
    const engine = store.groupsOfMixedWork === 1 ? 'SQLite' : 'PostgreSQL';
    const tables = (await store.rows<{ name: string }>(TABLES[engine])).map(({ name }) => name);
    expect(tables.filter((name) => !NAMED.includes(name))).toEqual([]);
    expect(NAMED.filter((name, i) => NAMED.indexOf(name) !== i)).toEqual([]);
  });

  it('cancel what is queued, and forget what is in memory; the record goes with the event', async () => {
    await store.journal.append(draft(1), planned);
    await store.journal.append(
      draft(1, { body: Buffer.from('{"data":2}'), identity: { minute: 1, hash: 'ab' } }),
      planned,
    );
    await store.journal.append(draft(3), to(1));
    expect((await store.journal.readEvent(1))!.body.toString()).toContain('deal.updated');
    const erase = { seqs: [1, 2], entity: 'deal:1', erasure: 1, at: 5 };
    await store.journal.change({ erase });
    expect(store.groups.at(-1)).toMatchObject({ erased: [1, 2], promoted: [] });
    expect(store.groups.at(-1)!.ended.map(({ key, previousState }) => [key.seq, previousState])).toEqual([
      [2, 'waiting'],
      [1, 'pending'],
    ]);
    expect(await store.journal.readEvent(1)).toMatchObject({ entity: null, signatureValue: '' });
    expect((await store.journal.readEvent(1))!.body.toString()).toBe('{}');
    const rows = () => store.rows('SELECT seq, erased_at, size FROM erased_events ORDER BY seq');
    expect(await rows()).toMatchObject([
      { seq: 1, erased_at: 5 },
      { seq: 2, erased_at: 5, size: 10 },
    ]);
    await store.journal.prune({ seqs: [1], removeIdentitiesBefore: null });
    expect(await rows()).toMatchObject([{ seq: 2 }]);
  });

  it('remove the last states of the entity, and those that an erased event tells', async () => {
    const { seq } = (await store.journal.append(draft(11), to())) as { seq: number };
    await store.journal.append(draft(12), to());
    for (const [entity, of] of [
      ['deal:11', seq],
      ['deal:7', 1],
      ['deal:8', 1],
    ])
      await store.exec(
        `INSERT INTO entity_floor(entity, seq, received_at, type, origin, body)
         VALUES ('${entity}', ${of}, 5, 'deal.updated', 'event', '{}')`,
      );
    await store.journal.change({ erase: { seqs: [seq], entity: null, erasure: 1, at: 5 } });
    await store.journal.change({ erase: { seqs: [], entity: 'deal:7', erasure: 2, at: 5 } });
    expect(await store.rows('SELECT entity FROM entity_floor')).toEqual([{ entity: 'deal:8' }]);
  });

  it('only count a repetition of an erased event: it is neither delivered nor held', async () => {
    const { seq } = (await store.journal.append(draft(13), to(1))) as { seq: number };
    await store.journal.change({ erase: { seqs: [seq], entity: null, erasure: 1, at: 5 } });
    const again = await store.journal.append(draft(13), () => [
      { target: 1, lane: null, takesDuplicates: true },
      { target: 2, lane: null },
    ]);
    expect(again).toMatchObject({ status: 'duplicate', seq });
    expect(store.groups.at(-1)!.events).toEqual([]);
    const deliveries = `SELECT target_id, n, state FROM deliveries WHERE event_seq = ${seq}`;
    expect(await store.rows(deliveries)).toEqual([{ target_id: 1, n: 0, state: 'cancelled' }]);
    expect(await store.rows(`SELECT n FROM duplicates WHERE event_seq = ${seq}`)).toEqual([]);
  });

  it('keep no excerpt of an attempt that was in flight', async () => {
    const { seq } = (await store.journal.append(draft(9), to(1))) as { seq: number };
    await store.journal.append(draft(10), to(1));
    await store.journal.change({ erase: { seqs: [seq], entity: null, erasure: 1, at: 5 } });
    const attempt = { ...result(seq, 1).attempt, excerpt: 'what was sent' };
    await store.journal.saveResult(result(seq, 1, { attempt }));
    const attempts = await store.rows('SELECT excerpt, status FROM attempts');
    expect(attempts).toEqual([{ excerpt: null, status: 204 }]);
  });

  it('keep no excerpt of an attempt whose $previous is erased, before it or while it is in flight', async () => {
    const seqs: number[] = [];
    for (let i = 0; i < 5; i += 1)
      seqs.push(((await store.journal.append(draft(20 + i), to(1))) as { seq: number }).seq);
    const [previous, other, ...sent] = seqs as [number, number, ...number[]];
    const attempt = (seq: number, of: number) => {
      const made = { ...result(seq, 1).attempt, excerpt: 'what was sent', previous: of };
      return store.journal.saveResult(result(seq, 1, { attempt: made }));
    };
    await attempt(sent[0]!, previous);
    await attempt(sent[1]!, other);
    await store.journal.change({ erase: { seqs: [previous], entity: null, erasure: 1, at: 5 } });
    await attempt(sent[2]!, previous);
    const attempts = await store.rows(
      'SELECT event_seq, excerpt FROM attempts WHERE previous > 0 ORDER BY event_seq',
    );
    expect(attempts).toEqual([
      { event_seq: sent[0], excerpt: null },
      { event_seq: sent[1], excerpt: 'what was sent' },
      { event_seq: sent[2], excerpt: null },
    ]);
  });
});
