// Runs one attack on a daemon, as a separate process. Argument: JSON of { name, seconds, base, hookPath, token, asset }.
// Prints one line of JSON: the number of responses by status, and the maximum number of concurrent connections.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { ATTACKS } from './attack-list.mjs';

/** New connections are opened in groups, because opening all at once would exceed the listen backlog. */
const OPENED_PER_INTERVAL = 20;
const OPEN_INTERVAL_MS = 10;
const PAUSE_AFTER_ERROR_MS = 20;
const ADDRESSES = 200;

const { name, seconds, ...daemon } = JSON.parse(process.argv[2]);
const { port, host } = new URL(daemon.base);
const attack = ATTACKS.find((one) => one.name === name);
const end = performance.now() + seconds * 1_000;
const statuses = {};
let open = 0;
let maxOpen = 0;
const count = (what) => (statuses[what] = (statuses[what] ?? 0) + 1);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Lower priority, so that on a shared core the process that sends notifications is not delayed.
setPriority(Math.min(19, getPriority() + 10));
if (attack.flood) await flood(attack.flood(daemon));
if (attack.hold) await hold(attack.hold({ ...daemon, host }));
console.log(JSON.stringify({ statuses, maxOpen }));
process.exit();

/** Sends requests over `connections` connections, one after the other on each, until the time is over. */
async function flood({ connections, method, path, headers, body }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  maxOpen = connections;
  const sendRequest = () =>
    new Promise((resolve) => {
      const outgoing = request({
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { host, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
      });
      outgoing.on('error', ({ code }) => {
        count(code);
        setTimeout(resolve, PAUSE_AFTER_ERROR_MS);
      });
      outgoing.on('response', (response) => {
        count(response.statusCode);
        response.resume().on('close', resolve);
      });
      outgoing.end(body);
    });
  const run = async () => {
    while (performance.now() < end) await sendRequest();
  };
  await Promise.race([Promise.all(Array.from({ length: connections }, run)), pause(seconds * 1_000)]);
}

/** Keeps `connections` connections open; each one that the daemon closes is replaced. */
async function hold({ connections, spread, begin }) {
  for (let number = 0; performance.now() < end; await pause(OPEN_INTERVAL_MS)) {
    for (let i = 0; i < OPENED_PER_INTERVAL && open < connections; i += 1) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(spread ? number : 0) });
      open += 1;
      maxOpen = Math.max(maxOpen, open);
      socket.on('error', ({ code }) => count(code));
      socket.on('close', () => (open -= 1));
      begin(socket, number, count);
      number += 1;
    }
  }
}

/** The local address of a connection. Notifications are sent from 127.0.0.2. */
function addressOf(number) {
  return number === 0 ? '127.0.0.1' : `127.0.1.${(number % ADDRESSES) + 1}`;
}
