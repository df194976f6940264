// One attack on a daemon, for so many seconds, in a process of its own. Argument: JSON of { name, seconds, base, hookPath,
// token, asset }. Prints one line of JSON: the answers by status, and the most connections that stood open at once.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { ATTACKS } from './attack-list.mjs';

/** Connections that are opened in each turn, of 10 ms. */
const OPENED_A_TURN = 20;
const TURN_MS = 10;
const AFTER_ERROR_MS = 20;
const ADDRESSES = 200;

const { name, seconds, ...daemon } = JSON.parse(process.argv[2]);
const { port, host } = new URL(daemon.base);
const attack = ATTACKS.find((one) => one.name === name);
const end = performance.now() + seconds * 1_000;
const answers = {};
let open = 0;
let mostOpen = 0;
const count = (what) => (answers[what] = (answers[what] ?? 0) + 1);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Whoever sends notifications on the same core comes first.
setPriority(Math.min(19, getPriority() + 10));
if (attack.flood) await flood(attack.flood(daemon));
if (attack.hold) await hold(attack.hold({ ...daemon, host }));
console.log(JSON.stringify({ answers, mostOpen }));
process.exit();

/** So many connections, each with one request after the other, until the time is over. */
async function flood({ connections, method, path, headers, body }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  mostOpen = connections;
  const ask = () =>
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
        setTimeout(resolve, AFTER_ERROR_MS);
      });
      outgoing.on('response', (response) => {
        count(response.statusCode);
        response.resume().on('close', resolve);
      });
      outgoing.end(body);
    });
  const run = async () => {
    while (performance.now() < end) await ask();
  };
  await Promise.race([Promise.all(Array.from({ length: connections }, run)), pause(seconds * 1_000)]);
}

/** So many connections that stay open; where the daemon closes one, another is opened. */
async function hold({ connections, spread, begin }) {
  for (let number = 0; performance.now() < end; await pause(TURN_MS)) {
    for (let i = 0; i < OPENED_A_TURN && open < connections; i += 1) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(spread ? number : 0) });
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      socket.on('error', ({ code }) => count(code));
      socket.on('close', () => (open -= 1));
      begin(socket, number, count);
      number += 1;
    }
  }
}

/** Senders of notifications have 127.0.0.2. */
function addressOf(number) {
  return number === 0 ? '127.0.0.1' : `127.0.1.${(number % ADDRESSES) + 1}`;
}
