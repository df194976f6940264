import { runErasure, type EraseFindings } from '../support/runs/erase-run';
import { report } from '../support/runs/report';

const KILLS = Number(process.env['KILLS'] ?? 20);

describe('the erasure of 20,000 events under load, killed at random moments', () => {
  let found: EraseFindings;
  beforeAll(async () => {
    found = await runErasure({ events: 20_000, kills: KILLS, withinMs: 1_500, perSecond: 50 });
    report(`killed ${found.killedWhileErasing} times while erasing; ${found.acknowledged} acknowledged`);
  });

  it('completes, and leaves nothing legible', () => {
    expect(found.erasure).toMatchObject({ state: 'done', events: 20_000 });
    expect(found.killedWhileErasing).toBeGreaterThan(0);
    expect(found.isLegible).toBe(false);
  });

  it('loses nothing that was acknowledged', () => {
    expect(found.acknowledged).toBeGreaterThan(100);
    expect(found.lost).toBe(0);
  });
});
