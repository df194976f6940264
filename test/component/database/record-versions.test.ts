import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, to, type ScratchStore } from '../../support/daemon/scratch-journal';

onEachEngine('versions of records', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
  });

  afterEach(() => scratch.remove());

  const append = async (n: number, updatedAt: string | null, unreadable: string | null = null) => {
    const body = Buffer.from(JSON.stringify({ n, data: { id: 7, updated_at: updatedAt } }));
    await scratch.journal.append(draft(n, { entity: 'deal:7', body, unreadable }), to());
  };
  const indexed = () =>
    scratch.rows(`SELECT seq, version FROM event_entities WHERE entity = 'deal:7' ORDER BY seq`);

  /** A step of retention indexes the events up to the last that it removes. */
  const indexThrough = async (seq: number) => {
    await append(100, null);
    await scratch.journal.prune({ seqs: [seq], removeIdentitiesBefore: null });
  };

  it('are indexed with the entities, also those of events from before a restart', async () => {
    await append(1, '2026-03-01T00:00:00.001Z');
    await append(2, null);
    await append(3, '2026-03-01T00:00:00Z', 'The field timestamp is missing.');
    await scratch.reopen();
    await append(4, '2026-03-02T00:00:00Z');
    await append(5, null);
    await indexThrough(5);
    expect(await indexed()).toEqual([
      { seq: 1, version: Date.UTC(2026, 2, 1) + 1 },
      { seq: 2, version: null },
      { seq: 3, version: -1 },
      { seq: 4, version: Date.UTC(2026, 2, 2) },
    ]);
  });

  it('of an event that was not stored are not those of the next one', async () => {
    await scratch.reject('INSERT', 'events', `NEW.entity = 'deal:8'`);
    await scratch.journal.append(
      draft(1, { entity: 'deal:8', body: Buffer.from('{"data":{"updated_at":"2026-03-01T00:00:00Z"}}') }),
      to(),
    );
    await scratch.accept('events');
    await append(2, null);
    await append(3, null);
    await indexThrough(2);
    expect(await indexed()).toEqual([{ seq: 1, version: null }]);
  });
});
