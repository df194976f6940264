import type { DataSource } from 'typeorm';
import type { Outage } from '../../../src/contract/outage';
import { AppliedRepairsQuery } from '../../../src/relay/repairs/applied-repairs.query';
import { notStarted } from '../../../src/relay/repairs/repair-row';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { START, type ScratchStore } from '../../support/daemon/scratch-journal';

onEachEngine('the repairs of an outage', (open) => {
  let scratch: ScratchStore;
  let source: DataSource;
  beforeEach(async () => {
    scratch = await open();
    source = await scratch.openSource([]);
  });
  afterEach(async () => {
    await source?.destroy();
    await scratch.remove();
  });

  const store = (id: string, outages: string[], events: number | null) => {
    const applied = events === null ? null : { items: 1, events, total: 1 };
    const progress = JSON.stringify({ ...notStarted(), applied });
    const actions = applied === null ? 'NULL' : `'["changed"]'`;
    return scratch.exec(
      `INSERT INTO repairs(id, purpose, state, outage_ids, requests_per_minute, progress, actions, created_at)
       VALUES ('${id}', 'repair', 'applying', '${JSON.stringify(outages)}', 60, '${progress}', ${actions}, ${START})`,
    );
  };

  it('are those that were applied to it, newest first', async () => {
    await store('first', ['one', 'two'], 3);
    await store('previewed', ['one'], null);
    await store('second', ['one'], 0);
    const outages = ['one', 'two', 'three'].map((id) => ({ id }) as Outage);
    const shown = { state: 'applying', created_at: new Date(START).toISOString(), ended_at: null };
    const first = { id: 'first', ...shown, events: 3 };
    expect(await new AppliedRepairsQuery(source).addTo(outages)).toEqual([
      { id: 'one', repairs: [{ id: 'second', ...shown, events: 0 }, first] },
      { id: 'two', repairs: [first] },
      { id: 'three', repairs: [] },
    ]);
  });
});
