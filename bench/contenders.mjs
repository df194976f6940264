// What people would build themselves: events to two targets, with all processes of a contender on one core, and load and
// targets on the other. Each verifies and signs; the settings are in `contenders/`. Argument: rounds (5).
import { alternate } from './harness/figures.mjs';
import { startContender } from './harness/contender.mjs';
import { sendNotifications, startReceiver } from './harness/load.mjs';
import { SERVER_CORE, pause, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';

const [rounds = 5] = process.argv.slice(2).map(Number);
/** Events per round: about two seconds of each. */
const CONTENDERS = {
  'bare-relay': 8_000,
  switchboard: 6_000,
  'express-sqlite': 1_000,
  'fastify-bullmq': 2_000,
  'fastify-graphile-worker': 800,
};
const TARGETS = ['first', 'second'];
/** For what a contender puts off; Switchboard indexes texts every two seconds. */
const REST_MS = 2_500;

const receiver = await startReceiver();
const started = {};
const notes = [];
for (const [name, count] of Object.entries(CONTENDERS)) {
  const contender = await startContender(name, SERVER_CORE, TARGETS.map(receiver.url));
  if (contender.missing) {
    notes.push(`${name} is skipped: ${contender.missing}.`);
    continue;
  }
  started[name] = contender;
  notes.push(`${name}: ${contender.settings.join('; ')}.`);
  await measure(name, Math.ceil(count / 2));
}

const results = await alternate(
  rounds,
  Object.fromEntries(Object.keys(started).map((name) => [name, () => measure(name, CONTENDERS[name])])),
);
for (const contender of Object.values(started)) await contender.stop();
await stop(receiver.child);

const rowsOf = (name) => {
  const column = (value) => results.map((round) => value(round[name], round['bare-relay']));
  const ratio = column((own, bare) => own.cpu / bare.cpu);
  return [
    { name, unit: 'events/s', values: column(({ perSecond }) => perSecond) },
    { name: `${name}: CPU`, unit: 'µs per event', values: column(({ cpu }) => cpu) },
    { name: `${name}: CPU ÷ bare-relay`, unit: '×', values: ratio, digits: 2 },
  ];
};
report({
  settings: { rounds, targets: TARGETS.length, connections: 64 },
  rows: Object.keys(started).flatMap(rowsOf),
  notes,
});

/** Until the last delivery has arrived; the CPU includes what is put off. */
async function measure(name, count) {
  const contender = started[name];
  await receiver.reset();
  const before = contender.cpu();
  const load = await sendNotifications(contender.hook, count);
  const { lastAt } = await receiver.waitFor(TARGETS.length * count);
  await pause(REST_MS);
  const { deliveries } = await receiver.read();
  if (load.failed > 0 || deliveries !== TARGETS.length * count) {
    console.error(
      `This run is void: ${name} acknowledged ${load.acknowledged} of ${count}, ${deliveries} arrived.`,
    );
    process.exit(1);
  }
  return { perSecond: (count / (lastAt - load.startedAt)) * 1_000, cpu: (contender.cpu() - before) / count };
}
