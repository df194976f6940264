// Switchboard, as `npm run build` makes it.
import { connectedDaemon } from '../harness/daemon.mjs';
import { beforeEnd, dataFolder, ready } from './webhooks.mjs';

const CONCURRENCY_PER_TARGET = 32;

const daemon = await connectedDaemon(null, dataFolder);
beforeEnd(() => daemon.close());
for (const [i, url] of process.argv.slice(3).entries())
  await daemon.api('POST', '/targets', {
    name: `target ${i}`,
    url,
    policy: { concurrency: CONCURRENCY_PER_TARGET },
  });
const settings = [
  'defaults',
  `concurrency ${CONCURRENCY_PER_TARGET} per target`,
  'synced to disk before the ack',
];
ready(new URL(daemon.base).port, settings, daemon.hook);
