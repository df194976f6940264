import { describeKills, isConclusive, type KillFindings } from '../support/runs/kill-findings';
import { runKills } from '../support/runs/kill-run';
import { report } from '../support/runs/report';

const KILLS = Number(process.env['KILLS'] ?? 24);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 320);

describe('the daemon, killed at random moments under load', () => {
  let found: KillFindings;

  beforeAll(async () => {
    found = await runKills({
      kills: KILLS,
      conclusive: 15,
      perSecond: PER_SECOND,
      withinMs: 2_500,
      killedStarts: 6,
      failEvery: 50,
      onKill: (kills) => {
        const { afterMs, unanswered, queued } = kills.at(-1)!;
        report(`kill ${kills.length} after ${afterMs} ms: ${unanswered} unanswered, ${queued} queued`);
      },
    });
    report(describeKills(found));
  });

  it('was under the intended load, and killed while publishing events', () => {
    expect(found.kills.length).toBeGreaterThanOrEqual(20);
    expect(found.perSecond).toBeGreaterThanOrEqual(300);
    expect(found.kills.filter(isConclusive).length).toBeGreaterThanOrEqual(15);
    // Some were stored but their response was lost; when they are sent again, only their bytes identify them.
    expect(found.ackedAsDuplicate).toBeGreaterThan(0);
  });

  it('has stored everything that was acknowledged exactly once after each restart', () => {
    expect(found.kills.flatMap(({ lost }) => lost)).toEqual([]);
    expect(found.kills.flatMap(({ twice }) => twice)).toEqual([]);
  });

  it('has in the end stored everything that was acknowledged exactly once, and nothing that was not sent', () => {
    expect(found.lost).toEqual([]);
    expect(found.storedTwice).toEqual([]);
    expect(found.foreignStored).toEqual([]);
    expect(found.bodiesOtherThanSent).toEqual([]);
  });

  it("delivered everything in the end, according to the target's record", () => {
    expect(found.undelivered).toEqual([]);
    expect(found.unfinished).toEqual([]);
  });

  it('delivered the bytes that were sent, each notification under the one id of its response', () => {
    expect(found.foreignDelivered).toEqual([]);
    expect(found.idsOfTwoBodies).toEqual([]);
    expect(found.bodiesOfTwoIds).toEqual([]);
    expect(found.idsOtherThanAcked).toEqual([]);
  });
});
