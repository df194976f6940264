import { describeKills } from '../../support/runs/kill-findings';
import { runKills } from '../../support/runs/kill-run';
import { report } from '../../support/runs/report';

describe('the daemon, killed while notifications arrive and deliveries are sent', () => {
  it('loses nothing that it acknowledged, stores nothing twice, and delivers everything in the end', async () => {
    const found = await runKills({
      kills: 2,
      conclusive: 0,
      perSecond: 100,
      withinMs: 1_500,
      killedStarts: 1,
      failEvery: 50,
    });
    report(describeKills(found));

    expect(found.acked).toBeGreaterThan(0);
    expect(found.kills.map(({ lost, twice }) => [lost, twice])).toEqual([
      [[], []],
      [[], []],
    ]);
    expect(found.lost).toEqual([]);
    expect(found.storedTwice).toEqual([]);
    expect(found.foreignStored).toEqual([]);
    expect(found.bodiesOtherThanSent).toEqual([]);
    expect(found.undelivered).toEqual([]);
    expect(found.unfinished).toEqual([]);
    expect(found.foreignDelivered).toEqual([]);
    expect(found.idsOfTwoBodies).toEqual([]);
    expect(found.bodiesOfTwoIds).toEqual([]);
    expect(found.idsOtherThanAcked).toEqual([]);
  });
});
