import { describeOrder, runOrder, type OrderFindings } from '../support/runs/order-run';
import { report } from '../support/runs/report';

const KILLS = Number(process.env['KILLS'] ?? 15);

describe("order within each deal, with failures and kills, by the target's record", () => {
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

  it('was tested: many deliveries failed, some were repeated after a kill, some were replayed', () => {
    expect(found.failed).toBeGreaterThan(found.events / 4);
    expect(found.repeated).toBeGreaterThan(0);
    expect(found.replayed).toBeGreaterThanOrEqual(300);
  });

  it('is preserved: no event was delivered before the one before it had succeeded', () => {
    expect(found.overtaken).toEqual([]);
  });

  it('loses nothing, and leaves nothing queued', () => {
    expect(found.missing).toEqual([]);
    expect(found.unfinished).toEqual([]);
  });
});
