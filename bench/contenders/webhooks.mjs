// What every contender does: how its process starts and ends, how it verifies a notification and signs a delivery.
// Arguments of each: a folder for its data, and the URLs of its targets.
import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'undici';

/** Simultaneous requests to all targets together, and jobs at once. */
export const CONCURRENCY = 64;
const SECRET = 'bench-secret';
const [folder, ...urls] = process.argv.slice(2);
export const dataFolder = folder;
export const targets = urls.map((_, index) => index);
const pools = urls.map((url) => new Pool(new URL(url).origin, { connections: CONCURRENCY / urls.length }));
const cleanups = [];

for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void end());

async function end() {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  process.exit(0);
}

/** What to do before this process ends; the last is done first. */
export function beforeEnd(cleanup) {
  cleanups.push(cleanup);
}

/** Tells the benchmark where to send notifications. @param settings what of this contender was chosen */
export function ready(port, settings, hook = { url: `http://127.0.0.1:${port}/hook`, secret: SECRET }) {
  console.log(`ready ${JSON.stringify({ hook, settings })}`);
}

/** Loads packages; if one is not installed, tells the benchmark to skip this contender, and ends. */
export async function load(...names) {
  try {
    return await Promise.all(names.map((name) => import(name)));
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return missing(`run npm ci --prefix bench/contenders, which installs ${names.join(' and ')}`);
  }
}

/** Tells the benchmark to skip this contender until the reader does this, and ends. */
export function missing(remedy) {
  console.log(`missing ${JSON.stringify(remedy)}`);
  process.exit(0);
}

/** Starts a server that ends with this process. @returns its process once it prints `line` */
export async function startServer(command, args, line, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  beforeEnd(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  });
  let text = '';
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += chunk;
        if (text.includes(line)) resolve();
      });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended early (${code}): ${text}`)));
  });
  return child;
}

export function isGenuine(body, signature) {
  const expected = createHmac('sha256', SECRET).update(body).digest();
  const given = Buffer.from(signature ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Sends one signed delivery. @throws Error if the target does not respond with 2xx */
export async function deliver(target, id, body) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const { statusCode, body: response } = await pools[target].request({
    path: new URL(urls[target]).pathname,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await response.dump();
  if (statusCode < 200 || statusCode > 299) throw new Error(`The target returned ${statusCode}.`);
}
