// At a low, steady rate: the time from sending a notification to its arrival at a target, and to its acknowledgement,
// against that of Express and SQLite with a commit per request. Arguments: rounds (5), seconds of each side per round (6),
// notifications per second (20).
import { alternate, percentile } from './harness/figures.mjs';
import { connectedDaemon } from './harness/daemon.mjs';
import { startContender } from './harness/contender.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { recordingReceiver, sendSteadily } from './harness/live-traffic.mjs';
import { SERVER_CORE, pause, scratchFolder } from './harness/processes.mjs';
import { report } from './harness/report.mjs';

const [rounds = 5, seconds = 6, perSecond = 20] = process.argv.slice(2).map(Number);
const SETTLE_MS = 500;

const receiver = await recordingReceiver();
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
await daemon.api('POST', '/targets', { name: 'target', url: receiver.url });
const express = await startContender('express-sqlite', SERVER_CORE, [receiver.url]);
if (express.missing) console.log(`Without Express: ${express.missing}`);
const sides = {
  hub: () => measure(daemon.hook),
  ...(express.missing ? {} : { express: () => measure(express.hook) }),
};
for (const measureOne of Object.values(sides)) await measureOne();

const results = await alternate(rounds, sides);
const sent = (rounds + 1) * Math.round(seconds * perSecond);
await checkLedger(daemon, { sent, acknowledged: sent });
await daemon.close();
await express.stop?.();
await receiver.close();

const column = (side, figure, part) => results.map((round) => percentile(round[side][figure], part));
const pooled = (side, figure, part) => [
  percentile(
    results.flatMap((round) => round[side][figure]),
    part,
  ),
];
const rows = [
  { name: 'wire to target, p50', unit: 'ms', values: column('hub', 'arrival', 0.5), digits: 2 },
  {
    name: 'wire to target, p99 of all rounds',
    unit: 'ms',
    values: pooled('hub', 'arrival', 0.99),
    digits: 2,
  },
  { name: 'wire to target, p99', unit: 'ms', values: column('hub', 'arrival', 0.99), digits: 2 },
  { name: 'ack, p50', unit: 'ms', values: column('hub', 'ack', 0.5), digits: 2 },
  { name: 'ack, p99 of all rounds', unit: 'ms', values: pooled('hub', 'ack', 0.99), digits: 2 },
];
if (!express.missing) {
  const [ours, theirs] = [column('hub', 'ack', 0.5), column('express', 'ack', 0.5)];
  rows.push(
    { name: 'Express + SQLite: ack, p50', unit: 'ms', values: theirs, digits: 2 },
    {
      name: 'Express + SQLite: ack, p99 of all rounds',
      unit: 'ms',
      values: pooled('express', 'ack', 0.99),
      digits: 2,
    },
    { name: 'ack p50 ÷ Express + SQLite', unit: '×', values: ours.map((ms, i) => ms / theirs[i]), digits: 2 },
  );
}
report({
  settings: { rounds, 'seconds each': seconds, 'notifications per second': perSecond, targets: 1 },
  rows,
});

async function measure(hook) {
  await pause(SETTLE_MS);
  return await sendSteadily(hook, 'deal.updated', { receiver, perSecond, seconds });
}
