// Fastify and BullMQ on Redis, which syncs every write to disk before it responds.
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

const [{ Queue, Worker }, { default: Redis }] = await load('bullmq', 'ioredis');
const path = join(dataFolder, 'redis.sock');
const redis = {
  port: '0',
  unixsocket: path,
  dir: dataFolder,
  save: '',
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
};
try {
  const args = Object.entries(redis).flatMap(([name, value]) => [`--${name}`, value]);
  await startServer('redis-server', args, 'ready to accept connections');
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
  missing('install redis-server');
}
const connect = () => new Redis({ path, maxRetriesPerRequest: null });
const queue = new Queue('deliveries', { connection: connect() });
const opts = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 5_000 },
  removeOnComplete: true,
  removeOnFail: false,
};
const worker = new Worker('deliveries', ({ data: { id, target, body } }) => deliver(target, id, body), {
  connection: connect(),
  concurrency: CONCURRENCY,
});
await worker.waitUntilReady();
beforeEnd(() => worker.close(true));

let number = 0;
const app = Fastify();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
app.post('/hook', async (request, reply) => {
  if (!isGenuine(request.body, request.headers['x-signature'])) return reply.code(401).send();
  const id = `event_${(number += 1)}`;
  const body = request.body.toString();
  await queue.addBulk(targets.map((target) => ({ name: 'deliver', data: { id, target, body }, opts })));
  return reply.code(200).send();
});
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server.address().port, [
  'Fastify 5, BullMQ 6, Redis over a Unix socket (appendonly, appendfsync always)',
  'one job per target, 8 attempts, finished jobs removed',
  `concurrency ${CONCURRENCY}, one process`,
]);
