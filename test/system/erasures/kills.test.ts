import { onSqlite } from '../../support/daemon/daemon-store';
import { runErasure, type EraseFindings } from '../../support/runs/erase-run';

describe('an erasure under load', () => {
  let found: EraseFindings;
  beforeAll(async () => {
    found = await runErasure({ events: 1_500, kills: 2, withinMs: 150, perSecond: 20 }, onSqlite);
  });

  it('goes on after the daemon was killed, until everything is erased', () => {
    expect(found.erasure).toMatchObject({ state: 'done', events: 1_500, total: 1_500 });
    expect(found.killedWhileErasing).toBeGreaterThan(0);
    expect(found.isLegible).toEqual([true, false]);
  });

  it('loses nothing that was acknowledged', () => {
    expect(found.acknowledged).toBeGreaterThan(0);
    expect(found.lost).toBe(0);
  });
});
