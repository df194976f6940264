import { describeKills, isTelling, type KillFindings } from '../support/runs/kill-findings';
import { runKills } from '../support/runs/kill-run';
import { report } from '../support/runs/report';

const KILLS = Number(process.env['KILLS'] ?? 24);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 320);

describe('the daemon, killed at random moments under load', () => {
  let found: KillFindings;

  beforeAll(async () => {
    found = await runKills({
      kills: KILLS,
      telling: 15,
      perSecond: PER_SECOND,
      withinMs: 2_500,
      killedStarts: 6,
      refuseEvery: 50,
      onKill: (kills) => {
        const { afterMs, unanswered, open } = kills.at(-1)!;
        report(`kill ${kills.length} after ${afterMs} ms: ${unanswered} unanswered, ${open} open`);
      },
    });
    report(describeKills(found));
  });

  it('was under the load and at the work that was meant', () => {
    expect(found.kills.length).toBeGreaterThanOrEqual(20);
    expect(found.perSecond).toBeGreaterThanOrEqual(300);
    expect(found.kills.filter(isTelling).length).toBeGreaterThanOrEqual(15);
    // Some were stored and their answer was lost: only their bytes tell that they came again.
    expect(found.ackedAsDuplicate).toBeGreaterThan(0);
  });

  it('has everything that was answered 200 after each restart, exactly once', () => {
    expect(found.kills.flatMap(({ lost }) => lost)).toEqual([]);
    expect(found.kills.flatMap(({ twice }) => twice)).toEqual([]);
  });

  it('has everything that was answered 200 in the end, exactly once, and nothing that was not sent', () => {
    expect(found.lost).toEqual([]);
    expect(found.storedTwice).toEqual([]);
    expect(found.strangersStored).toEqual([]);
    expect(found.bodiesOtherThanSent).toEqual([]);
  });

  it('brought every delivery to the target in the end, by the record of the target', () => {
    expect(found.undelivered).toEqual([]);
    expect(found.unfinished).toEqual([]);
  });

  it('delivered the bytes that were sent, under one id for each notification: that of its answer', () => {
    expect(found.strangersDelivered).toEqual([]);
    expect(found.idsOfTwoBodies).toEqual([]);
    expect(found.bodiesOfTwoIds).toEqual([]);
    expect(found.idsOtherThanAcked).toEqual([]);
  });
});
