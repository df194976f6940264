import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { routeBlock } from '../../../src/relay/router/route-block';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const CONFLICT = { code: 'conflict' };

const routed = (type: string) =>
  ({
    number: 1,
    id: 'tgt_1',
    enabled: true,
    accepts: (event: { type: string }) => event.type === type,
    filter: null,
    matches: null,
    policy: DEFAULT_POLICY,
  }) as Partial<TargetRecord> as TargetRecord;

const DEALS = [routed('deal.updated')];

onEachEngine('what the router has evaluated', (open) => {
  let scratch: ScratchStore;

  beforeEach(async () => {
    scratch = await open();
    await scratch.exec(`INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at, routing, routed_from)
      VALUES (1, 'tgt_1', 'routed', 'https://example.com', '["*"]', 1, 'x', 0, 0, 'draining', 0)`);
    await scratch.exec('INSERT INTO router(id, position) VALUES (1, 0)');
    for (const n of [1, 2, 3]) await scratch.journal.append(draft(n), to());
  });
  afterEach(() => scratch.remove());

  const route = (targets: readonly TargetRecord[], position = 0) =>
    routeBlock(position, 2, targets, scratch.reader);
  const positions = () => scratch.rows<{ position: number }>('SELECT position FROM router');

  it('is stored with the position, once', async () => {
    const [block, again] = [(await route(DEALS))!, (await route(DEALS))!];
    await scratch.journal.change(block);
    await expect(scratch.journal.change(again)).rejects.toMatchObject(CONFLICT);
    expect(await positions()).toEqual([{ position: 2 }]);
    expect(await scratch.count('deliveries')).toBe(2);
    expect(await route(DEALS, 2)).toBeNull();
  });

  it('is not stored by two, even if nobody receives it', async () => {
    const [block, again] = [(await route([routed('other')]))!, (await route([routed('other')]))!];
    await scratch.journal.change(block);
    await expect(scratch.journal.change(again)).rejects.toMatchObject(CONFLICT);
  });

  it('waits for a target that is stored but not known yet', async () => {
    expect(await route([])).toBeNull();
  });

  it.each([
    ['a target was removed', 'UPDATE targets SET deleted_at = 1'],
    ['an event was erased', 'INSERT INTO erased_events(seq, erasure, erased_at, size) VALUES (2, 1, 0, 9)'],
    ['no target is routed any more', 'DELETE FROM router'],
  ])('is not stored if %s meanwhile', async (_, change) => {
    const block = (await route(DEALS))!;
    await scratch.exec(change);
    await expect(scratch.journal.change(block)).rejects.toMatchObject(CONFLICT);
    expect(await scratch.count('deliveries')).toBe(0);
  });
});
