// Fastify and graphile-worker on PostgreSQL, which syncs every commit to disk.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import {
  CONCURRENCY,
  beforeEnd,
  dataFolder,
  deliver,
  isGenuine,
  load,
  missing,
  ready,
  startServer,
  targets,
} from './webhooks.mjs';

const [{ makeWorkerUtils, run, Logger }] = await load('graphile-worker');
const connectionString = await startPostgres();
const logger = new Logger(() => () => undefined);
const preset = {
  worker: {
    connectionString,
    concurrentJobs: CONCURRENCY,
    maxPoolSize: CONCURRENCY / 4,
    pollInterval: 1_000,
    localQueue: { size: 2 * CONCURRENCY },
    completeJobBatchDelay: 0,
    logger,
  },
};
const utils = await makeWorkerUtils({ preset });
await utils.migrate();
const runner = await run({
  preset,
  taskList: { deliver: ({ id, target, body }) => deliver(target, id, body) },
});
beforeEnd(() => runner.kill());

let number = 0;
const app = Fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
app.post('/hook', async (request, reply) => {
  if (!isGenuine(request.body, request.headers['x-signature'])) return reply.code(401).send();
  const id = `event_${(number += 1)}`;
  const body = request.body.toString();
  await utils.addJobs(
    targets.map((target) => ({ identifier: 'deliver', payload: { id, target, body }, maxAttempts: 8 })),
  );
  return reply.code(200).send();
});
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server.address().port, [
  'Fastify 5, graphile-worker 0.17, PostgreSQL over a Unix socket (fsync and synchronous_commit on)',
  `localQueue of ${2 * CONCURRENCY}, results in batches, one job per target, 8 attempts`,
  `${CONCURRENCY} jobs at once, one process and the server`,
]);

/** PostgreSQL refuses to run as root; then it runs as the user `postgres`. */
async function startPostgres() {
  const data = join(dataFolder, 'postgres');
  mkdirSync(data);
  const isRoot = process.getuid() === 0;
  const user = isRoot ? idsOf('postgres') : {};
  if (isRoot) {
    chmodSync(dataFolder, 0o755);
    chownSync(data, user.uid, user.gid);
  }
  const options = { ...user, cwd: data };
  try {
    execFileSync('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const args = ['-D', data, '-k', data, '-c', 'listen_addresses=', '-c', 'shared_buffers=256MB'];
    await startServer('postgres', args, 'ready to accept connections', options);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    missing('install PostgreSQL 12 or later, with postgres and initdb in the PATH');
  }
  return `postgresql://bench@/postgres?host=${encodeURIComponent(data)}`;
}

function idsOf(name) {
  const id = (flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
