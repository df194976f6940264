import { runHandOvers } from '../support/runs/hand-over-run';
import { report } from '../support/runs/report';

it('restarts on a socket that stays open delay notifications, and no first attempt fails', async () => {
  const { sent, notAtOnce, stored, slowestMs } = await runHandOvers({
    restarts: 10,
    perSecond: 300,
    between: 600,
  });
  report(`${sent.length} notifications, 10 restarts, slowest acknowledgement ${slowestMs} ms`);
  expect(notAtOnce).toEqual([]);
  expect(stored).toBe(sent.length);
}, 300_000);
