// The time from sending a notification to its arrival at two other targets, one of them with an expression, while the
// expression of a target misbehaves, against that without such a target. Arguments: rounds (3), seconds of each side per
// round (8), notifications per second for each of the two (20).
import { connectedDaemon } from './harness/daemon.mjs';
import { alternate, percentile } from './harness/figures.mjs';
import { latencies, recordingReceiver } from './harness/live-traffic.mjs';
import { SERVER_CORE, pause, scratchFolder } from './harness/processes.mjs';
import { report } from './harness/report.mjs';

const [rounds = 3, seconds = 8, perSecond = 20] = process.argv.slice(2).map(Number);
const SETTLE_MS = 1_000;
const MISBEHAVING = {
  recursion: '($f := function($x){ $f($x) }; $f(1))',
  sum: '$sum([1..9999999])',
  regex: '$match($pad("", 60, "a") & "b", /^(a+)+$/)',
  doubling: '$length($reduce([1..25], function($s, $i){ $s & $s }, "aaaa"))',
};

const [plain, shaped] = [await recordingReceiver(), await recordingReceiver()];
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
const add = (settings) => daemon.api('POST', '/targets', settings);
await add({ name: 'plain', url: plain.url, events: ['deal.updated'] });
const transform = { expression: '{"data": {"nonce": data.nonce}}' };
await add({ name: 'shaped', url: shaped.url, events: ['contact.updated'], transform });

const sides = Object.fromEntries([
  ['none', measure],
  ...Object.entries(MISBEHAVING).map(([name, expression]) => [
    name,
    () => whileItMisbehaves(name, expression),
  ]),
]);
await measure();
const results = await alternate(rounds, sides);
await daemon.close();
await plain.close();
await shaped.close();

const p99 = (side, target) => results.map((round) => percentile(round[side][target], 0.99));
const rows = ['plain', 'shaped'].flatMap((target) => {
  const base = p99('none', target);
  const name = target === 'plain' ? 'without an expression' : 'with an expression';
  return [
    { name: `target ${name}: p99`, unit: 'ms', values: base, digits: 1 },
    ...Object.keys(MISBEHAVING).map((side) => ({
      name: `${side}: target ${name}, p99 ÷ that`,
      unit: '×',
      values: p99(side, target).map((ms, i) => ms / base[i]),
      digits: 2,
    })),
  ];
});
report({ settings: { rounds, 'seconds each': seconds, 'notifications per second': 2 * perSecond }, rows });

async function measure() {
  await pause(SETTLE_MS);
  const [ofPlain, ofShaped] = await Promise.all([
    latencies(daemon.hook, 'deal.updated', plain, perSecond, seconds),
    latencies(daemon.hook, 'contact.updated', shaped, perSecond, seconds),
  ]);
  return { plain: ofPlain, shaped: ofShaped };
}

/** The target pauses itself after five dead letters, as it does by default. */
async function whileItMisbehaves(name, expression) {
  const { id } = await add({ name, url: plain.url, transform: { expression } });
  const measured = await measure();
  await daemon.api('PATCH', `/targets/${id}`, { events: ['never'] });
  return measured;
}
