// Open dashboards, as far as the server can tell: sockets that receive what is published. Arguments: the server's URL, the
// number of sockets, tokens (comma-separated, used in turn). Prints `port 0` when all are connected; asked over IPC, it
// responds with the messages and events that each received, and how often it was disconnected.
import { io } from 'socket.io-client';

const [base, count, tokens] = process.argv.slice(2);
const list = tokens.split(',');
const sockets = Array.from({ length: Number(count) }, (_, i) => {
  const socket = io(`${base}/live`, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: { authorization: `Bearer ${list[i % list.length]}` },
  });
  const received = { messages: 0, events: 0, disconnects: 0 };
  socket.onAny(() => (received.messages += 1));
  socket.on('events', (events) => (received.events += events.length));
  socket.on('disconnect', () => (received.disconnects += 1));
  socket.on('connect_error', ({ message }) => {
    console.error(`A dashboard was not admitted: ${message}`);
    process.exit(1);
  });
  return { received, connected: new Promise((resolve) => socket.once('connect', resolve)) };
});
await Promise.all(sockets.map(({ connected }) => connected));
console.log('port 0');
process.on('message', () => process.send(sockets.map(({ received }) => received)));
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
