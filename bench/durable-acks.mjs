// How many notifications a second are verified, committed with two deliveries each, synced to disk and answered 200, and
// what one costs in CPU, against a bare node:http that answers 200. Arguments: rounds (5), notifications a round (60000).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectedDaemon } from './connected-daemon.mjs';
import { median, spread } from './figures.mjs';
import { cpuMicroseconds, scratchFolder, startNode, stop } from './processes.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const COUNT = Number(process.argv[3] ?? 60_000);
const CONNECTIONS = 64;
const SERVER_CORE = 0;
const LOAD_CORE = 1;
const portOf = (line) => /^port (\d+)/.exec(line)?.[1];
let sent = 0;

const bare = await startBare();
const daemon = await connectedDaemon(SERVER_CORE, scratchFolder());
for (const name of ['first', 'second']) {
  const target = await daemon.api('POST', '/targets', { name, url: 'http://127.0.0.1:9/' });
  await daemon.api('POST', `/targets/${target.id}/pause`);
}
await measure(daemon.pid, daemon.hook, 10_000);
await measure(bare.pid, bare.hook, 10_000);

const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  rounds.push({
    bare: await measure(bare.pid, bare.hook, COUNT),
    hub: await measure(daemon.pid, daemon.hook, COUNT),
  });
}
const stats = await daemon.api('GET', '/stats');
await daemon.close();
await stop(bare.child);

const column = (side, figure) => rounds.map((round) => round[side][figure]);
const ratio = (figure) => rounds.map(({ hub, bare: base }) => hub[figure] / base[figure]);
console.log(
  `Node ${process.version}, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${COUNT}; median (least–most)`,
);
console.log(
  `bare node:http     ${spread(column('bare', 'perSecond'))} requests/s   ${spread(column('bare', 'cpu'), 1)} µs CPU each`,
);
console.log(
  `durable ack        ${spread(column('hub', 'perSecond'))} requests/s   ${spread(column('hub', 'cpu'), 1)} µs CPU each`,
);
console.log(
  `ratio, paired      ${spread(ratio('perSecond').map((r) => r * 100))} % of its requests/s   ${spread(ratio('cpu'), 2)} × its CPU`,
);
console.log(
  `generator busy     bare ${spread(column('bare', 'busy'), 2)}, hub ${spread(column('hub', 'busy'), 2)} (1 = its core is full)`,
);
console.log(
  `stored ${stats.last_seq} of ${sent / 2} sent; ack p50 ${stats.ack_ms.p50} ms, p99 ${stats.ack_ms.p99} ms`,
);
const refused = rounds.reduce((sum, round) => sum + round.hub.refused + round.bare.refused, 0);
const share = median(ratio('perSecond'));
if (refused > 0 || share < 0.25) {
  console.error(refused > 0 ? `${refused} were refused.` : 'Less than a quarter of bare node:http.');
  process.exitCode = 1;
}

async function startBare() {
  const { child, found } = await startNode(
    SERVER_CORE,
    [join(import.meta.dirname, 'bare-server.mjs')],
    portOf,
  );
  return { child, pid: child.pid, hook: { url: `http://127.0.0.1:${found}/hooks/key`, secret: 'secret' } };
}

async function measure(pid, { url, secret }, count) {
  const before = cpuMicroseconds(pid);
  const script = join(import.meta.dirname, 'generate-load.mjs');
  const args = [
    '-c',
    String(LOAD_CORE),
    process.execPath,
    script,
    url,
    secret,
    String(CONNECTIONS),
    String(count),
    String(sent),
  ];
  sent += count;
  const generator = spawn('taskset', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  generator.stdout.on('data', (chunk) => (text += chunk));
  await once(generator, 'exit');
  return { ...JSON.parse(text), cpu: (cpuMicroseconds(pid) - before) / count };
}
