import { AsOfQuery } from '../../../src/relay/events/entities/as-of.query';
import { beginKnowingDeals, FORGET_DEALS, knowDeals } from '../../../src/relay/events/entities/known-deals';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { EntityFloor, LOSE_STATES } from '../../../src/relay/events/retention/entity-floor.service';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { draft, START, to, type ScratchStore } from '../../support/daemon/scratch-journal';

const BEGAN = START + 60_000;
const at = (ms: number) => new Date(ms).toISOString();

onEachEngine('what may be said about deals that have sent no event', (open) => {
  let scratch: ScratchStore;
  let points: AsOfQuery;

  const append = (seq: number) =>
    scratch.journal.append(draft(seq, { receivedAt: START + seq * 1_000 }), to());
  const change = (...statements: (typeof FORGET_DEALS)[]) => scratch.journal.change({ statements });
  const outage = (beganAt: number, endedAt: number | null, afterSeq: number) =>
    scratch.exec(
      `INSERT INTO outages(id, kind, began_at, ended_at, after_seq) VALUES ('out_${beganAt}', 'downtime', ${beganAt}, ${endedAt}, ${afterSeq})`,
    );
  const coverage = async (kind: string | undefined, seq = 3) =>
    (await points.present({ seq, horizon: { seq: 0, at: null } }, kind)).coverage;

  beforeEach(async () => {
    scratch = await open();
    points = new AsOfQuery(scratch.reader, undefined as never);
    await scratch.exec(`INSERT INTO heartbeat(id, at, expecting) VALUES (1, ${START}, 1)`);
    for (const seq of [1, 2]) await append(seq);
    await change(beginKnowingDeals(BEGAN));
    expect((await coverage('deal')).complete).toBe(false);
    await change(knowDeals(BEGAN));
    await append(3);
  });
  afterEach(() => scratch.remove());

  it('is that all are known after a baseline, from its end on, and of no other kind', async () => {
    expect(await coverage('deal')).toEqual({
      complete: true,
      since: at(BEGAN),
      sentence: `Every deal that existed at ${at(BEGAN)} or was created since is known.`,
    });
    expect((await coverage('deal', 2)).complete).toBe(true);
    const since = at(START + 1_000);
    const incomplete = (who: string) => ({
      complete: false,
      since,
      sentence: `${who} that have not changed since ${since} are missing.`,
    });
    expect(await coverage('deal', 1)).toEqual(incomplete('Entities'));
    expect(await coverage('contact')).toEqual(incomplete('Entities'));
    expect(await coverage(undefined)).toEqual(incomplete('Entities other than deals'));
  });

  it('is less after an outage, though not after one that ended before the baseline', async () => {
    await outage(START, BEGAN - 1, 1);
    expect((await coverage('deal')).complete).toBe(true);
    await outage(BEGAN + 1, BEGAN + 2, 2);
    expect((await coverage('deal', 2)).complete).toBe(true);
    expect((await coverage('deal')).complete).toBe(false);
  });

  it('is less during an outage, and while no notifications are expected', async () => {
    await scratch.exec('UPDATE heartbeat SET expecting = 0');
    expect((await coverage('deal')).complete).toBe(false);
    await scratch.exec('UPDATE heartbeat SET expecting = 1');
    expect((await coverage('deal')).complete).toBe(true);
    await outage(START, null, 1);
    expect((await coverage('deal')).complete).toBe(false);
  });

  it('is less once states are lost, also if that was while the baseline was read', async () => {
    await scratch.journal.prune({ seqs: [1], removeIdentitiesBefore: null, beforeRemoval: LOSE_STATES });
    expect((await coverage('deal')).complete).toBe(false);
    await change(knowDeals(BEGAN));
    expect((await coverage('deal')).complete).toBe(false);
    await change(beginKnowingDeals(BEGAN + 1));
    await change(knowDeals(BEGAN + 1));
    expect((await coverage('deal')).complete).toBe(true);
  });

  it('is as before when retention keeps states, until those of deals go for their age', async () => {
    const floor = new EntityFloor(scratch.reader, scratch.journal, new EntityStatesQuery(scratch.reader));
    await floor.keep([1]);
    await scratch.journal.prune({ seqs: [1], removeIdentitiesBefore: null });
    expect((await coverage('deal')).complete).toBe(true);
    await floor.removeOlder({ before: START, kept: [] }, () => false);
    expect((await coverage('deal')).complete).toBe(true);
    await floor.removeOlder({ before: BEGAN, kept: [] }, () => false);
    expect((await coverage('deal')).complete).toBe(false);
  });
});
