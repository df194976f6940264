// Load on what is measured, from the core of the load.
import { LOAD_CORE, ask, program, runNode, startServer, until } from './processes.mjs';

const CONNECTIONS = 64;
let next = 0;

/**
 * Sends notifications as fast as they are acknowledged, or so many per second.
 * @returns what `programs/generate-load.mjs` prints
 */
export async function sendNotifications({ url, secret }, count, perSecond = Infinity) {
  const args = [program('generate-load.mjs'), url, secret, CONNECTIONS, count, next, perSecond];
  next += count;
  return await runNode(LOAD_CORE, args);
}

/**
 * Sends the same number of notifications to each of several webhooks at once.
 * @returns { sent, perSecond, acknowledged } of all
 */
export async function sendToAll(hooks, count) {
  const each = Math.floor(count / hooks.length);
  const loads = await Promise.all(hooks.map((hook) => sendNotifications(hook, each)));
  const ends = loads.map(({ startedAt, perSecond }) => startedAt + (each / perSecond) * 1_000);
  const seconds = (Math.max(...ends) - Math.min(...loads.map(({ startedAt }) => startedAt))) / 1_000;
  const acknowledged = loads.reduce((sum, load) => sum + load.acknowledged, 0);
  const sent = each * hooks.length;
  return { sent, perSecond: sent / seconds, acknowledged };
}

/** Sends signed requests to a target as fast as it responds. @returns { perSecond, cpu } */
export function sendBare(cores, target, connections, count) {
  return runNode(cores, [program('bare-sender.mjs'), target, connections, count]);
}

/** A server that only responds, and its webhook. */
export async function startBareServer(cores) {
  const { child, port } = await startServer(cores, [program('bare-server.mjs')]);
  return { child, pid: child.pid, hook: { url: `http://127.0.0.1:${port}/hooks/key`, secret: 'secret' } };
}

/** @returns { child, url(path), reset(), read(), waitFor(deliveries) }; see `programs/receiver.mjs` */
export async function startReceiver() {
  const { child, port } = await startServer(LOAD_CORE, [program('receiver.mjs')]);
  const read = () => ask(child, 'read');
  return {
    child,
    pid: child.pid,
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    reset: () => ask(child, 'reset'),
    read,
    waitFor: (deliveries) =>
      until(
        async () => {
          const state = await read();
          return state.deliveries >= deliveries && state;
        },
        `${deliveries} deliveries`,
        120_000,
      ),
  };
}
