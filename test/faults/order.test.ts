import { describeOrder, runOrder, type OrderFindings } from '../support/runs/order-run';
import { report } from '../support/runs/report';

const KILLS = Number(process.env['KILLS'] ?? 15);

describe('the order within each deal, with failures and kills, by the record of the target', () => {
  let found: OrderFindings;

  beforeAll(async () => {
    found = await runOrder({
      entities: 150,
      perEntity: 60,
      failing: 0.3,
      kills: KILLS,
      withinMs: 2_500,
      replays: 300,
    });
    report(describeOrder(found));
  });

  it('was put to the test: many failed, some came twice after a kill, some were replayed', () => {
    expect(found.failed).toBeGreaterThan(found.events / 4);
    expect(found.repeated).toBeGreaterThan(0);
    expect(found.replayed).toBeGreaterThanOrEqual(300);
  });

  it('was kept: none came before the success of the one before it', () => {
    expect(found.overtaken).toEqual([]);
  });

  it('lost nothing, and left nothing waiting', () => {
    expect(found.missing).toEqual([]);
    expect(found.unfinished).toEqual([]);
  });
});
