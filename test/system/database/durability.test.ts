import { describeKills } from '../../support/runs/kill-findings';
import { runKills } from '../../support/runs/kill-run';
import { report } from '../../support/runs/report';

describe('the daemon, killed while notifications come in and go out', () => {
  it('loses nothing that it answered 200, stores nothing twice, and delivers everything in the end', async () => {
    const found = await runKills({
      kills: 2,
      telling: 0,
      perSecond: 300,
      withinMs: 1_500,
      killedStarts: 1,
      refuseEvery: 50,
    });
    report(describeKills(found));

    expect(found.acked).toBeGreaterThan(0);
    expect(found.kills.map(({ lost, twice }) => [lost, twice])).toEqual([
      [[], []],
      [[], []],
    ]);
    expect(found.lost).toEqual([]);
    expect(found.storedTwice).toEqual([]);
    expect(found.strangersStored).toEqual([]);
    expect(found.bodiesOtherThanSent).toEqual([]);
    expect(found.undelivered).toEqual([]);
    expect(found.unfinished).toEqual([]);
    expect(found.strangersDelivered).toEqual([]);
    expect(found.idsOfTwoBodies).toEqual([]);
    expect(found.bodiesOfTwoIds).toEqual([]);
    expect(found.idsOtherThanAcked).toEqual([]);
  }, 180_000);
});
