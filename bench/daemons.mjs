// What daemons on PostgreSQL cost next to one on SQLite: notifications that are acknowledged, with deliveries to two paused
// targets, and then delivered. One, two and three daemons, and their server, share one core with each other, so the CPU per
// unit is the figure to look at; they would be faster on machines of their own. Arguments: rounds (3), notifications per
// round (12000).
import { randomBytes } from 'node:crypto';
import { connectedDaemon, startReceiving } from './harness/daemon.mjs';
import { alternate } from './harness/figures.mjs';
import { checkLedger } from './harness/ledger.mjs';
import { sendToAll, startReceiver } from './harness/load.mjs';
import { startPostgres } from './harness/postgres.mjs';
import { SERVER_CORE, cpuMicroseconds, quiet, scratchFolder, stop } from './harness/processes.mjs';
import { report } from './harness/report.mjs';

const [rounds = 3, count = 12_000] = process.argv.slice(2).map(Number);
const TARGETS = ['first', 'second'];
const WARM_UP = 3_000;
const KEYS = {
  SWITCHBOARD_SECRET_KEY: randomBytes(32).toString('base64'),
  SWITCHBOARD_ADMIN_TOKEN: randomBytes(32).toString('hex'),
};

const receiver = await startReceiver();
const postgres = await startPostgres(SERVER_CORE, scratchFolder());
const SIDES = { SQLite: 0, '1 daemon': 1, '2 daemons': 2, '3 daemons': 3 };
const results = await alternate(
  rounds,
  Object.fromEntries(Object.entries(SIDES).map(([name, daemons]) => [name, () => measure(daemons)])),
);
await postgres.stop();
await stop(receiver.child);

const rowsOf = (what, unit, figure, digits = 0) =>
  Object.keys(SIDES).map((side) => ({
    name: `${what}, ${side}`,
    unit,
    digits,
    values: results.map((round) => round[side][figure]),
  }));
report({
  settings: {
    rounds,
    'notifications per round': count,
    targets: TARGETS.length,
    'connections per daemon': 64,
  },
  rows: [
    ...rowsOf('ack', 'notifications/s', 'acks'),
    ...rowsOf('ack: CPU of the daemons', 'µs each', 'ackDaemons', 1),
    ...rowsOf('ack: CPU of the server', 'µs each', 'ackServer', 1),
    ...rowsOf('delivery', 'deliveries/s', 'deliveries'),
    ...rowsOf('delivery: CPU of the daemons', 'µs each', 'deliveryDaemons', 1),
    ...rowsOf('delivery: CPU of the server', 'µs each', 'deliveryServer', 1),
  ],
});

/** Starts a hub, and measures it. @param size the number of daemons on PostgreSQL; 0: one on SQLite */
async function measure(size) {
  const folder = scratchFolder();
  const settings = size === 0 ? {} : { ...KEYS, DATABASE_URL: await newDatabase() };
  const leader = await connectedDaemon(SERVER_CORE, folder, { settings });
  const others = [];
  for (let n = 1; n < size; n += 1) others.push(await startReceiving(SERVER_CORE, folder, leader));
  const daemons = [leader, ...others];
  const targets = [];
  for (const name of TARGETS) {
    const { id } = await leader.api('POST', '/targets', {
      name,
      url: receiver.url(name),
      policy: { concurrency: 64 },
    });
    await leader.api('POST', `/targets/${id}/pause`);
    targets.push(id);
  }
  const hooks = daemons.map(({ hook }) => hook);
  const settled = () => Promise.all(daemons.map(({ pid }) => quiet(pid)));
  const cpu = () => ({
    daemons: daemons.reduce((sum, { pid }) => sum + cpuMicroseconds(pid), 0),
    server: size === 0 ? 0 : postgres.cpu(),
  });
  const warmUp = await sendToAll(hooks, WARM_UP);
  await settled();

  const before = cpu();
  const load = await sendToAll(hooks, count);
  await settled();
  const between = cpu();
  await receiver.reset();
  const acknowledged = warmUp.acknowledged + load.acknowledged;
  const deliveries = acknowledged * TARGETS.length;
  const startedAt = Date.now();
  for (const id of targets) await leader.api('POST', `/targets/${id}/resume`);
  const { lastAt } = await receiver.waitFor(deliveries);
  await settled();
  const after = cpu();
  const read = size === 0 ? undefined : (sql) => postgres.sql(sql, undefined, settings.DATABASE_URL);
  await checkLedger(leader, { sent: warmUp.sent + load.sent, acknowledged, received: deliveries }, read);
  for (const daemon of daemons.toReversed()) await daemon.close();
  return {
    acks: load.perSecond,
    ackDaemons: (between.daemons - before.daemons) / load.sent,
    ackServer: (between.server - before.server) / load.sent,
    deliveries: (deliveries / (lastAt - startedAt)) * 1_000,
    deliveryDaemons: (after.daemons - between.daemons) / deliveries,
    deliveryServer: (after.server - between.server) / deliveries,
  };
}

async function newDatabase() {
  const name = `hub_${randomBytes(4).toString('hex')}`;
  await postgres.sql(`CREATE DATABASE ${name}`);
  const url = new URL(postgres.url);
  url.pathname = name;
  return url.href;
}
