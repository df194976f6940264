// Attacks that try to keep notifications from being acknowledged, by strangers, by holders of the webhook URL and by holders
// of a `read` token. A `flood` sends complete requests one after the other; a `hold` keeps connections open without finishing.
import { randomBytes } from 'node:crypto';

const JSON_TYPE = { 'content-type': 'application/json' };
const BODY_BYTES = 256 * 1024;
const NOTIFICATION_BYTES = 1_000_000;
const FRAME_BYTES = 900_000;
const PIECE_BYTES = 256 * 1024;

const deepArrays = '['.repeat(131_000) + ']'.repeat(131_000);
const manyKeys = `{${Array.from({ length: 28_000 }, (_, i) => `"${i.toString(36)}":0`).join()}}`;
const conditions = Array.from({ length: 9_000 }, (_, i) => [`data.f${i}`, { $eq: i }]);
const wideFilter = JSON.stringify({ filter: Object.fromEntries(conditions) });
const patterns = Array.from({ length: 400 }, (_, i) => `type=*e*a*u*${i}*`).join('&');
const incompleteFrame = Buffer.concat([frameHead(FRAME_BYTES), randomBytes(FRAME_BYTES - 1_000)]);

const login = (connections, body) => ({
  flood: () => ({ connections, method: 'POST', path: '/api/v1/session', headers: JSON_TYPE, body }),
});
const read = (connections, path) => ({
  flood: ({ token }) => ({ connections, method: 'GET', path, headers: { authorization: `Bearer ${token}` } }),
});
const preview = (connections) => ({
  flood: ({ token }) => ({
    connections,
    method: 'POST',
    path: '/api/v1/targets/preview',
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    body: wideFilter,
  }),
});
/** Request bodies whose last byte is never sent. */
const unfinished = (connections, bytes, pathOf, spread = false) => ({
  hold: (daemon) => {
    const head = `POST ${pathOf(daemon)} HTTP/1.1\r\nhost: ${daemon.host}\r\ncontent-type: application/json\r\nx-signature: ${'0'.repeat(64)}\r\ncontent-length: ${bytes}\r\n\r\n`;
    const body = Buffer.alloc(bytes - 1, '[');
    const begin = (socket, _, count) => {
      socket.on('data', (text) => count(String(text).slice(9, 12)));
      socket.write(head);
      socket.write(body);
    };
    return { connections, spread, begin };
  },
});
/** Writes the same text to each connection without end, without waiting for responses. */
const repeated = (connections, headOf, text) => ({
  hold: (daemon) => {
    const piece = Buffer.from(text.repeat(Math.ceil(PIECE_BYTES / text.length)));
    const begin = (socket, _, count) => {
      socket.once('data', (response) => count(String(response).slice(9, 12)));
      socket.resume().write(headOf(daemon));
      const write = () => {
        while (socket.writable && socket.write(piece));
      };
      socket.on('drain', write);
      socket.once('connect', write);
    };
    return { connections, begin };
  },
});
/** Requests whose responses are never read. */
const unread = (connections, pathOf) => ({
  hold: (daemon) => ({
    connections,
    begin: (socket) => socket.pause().write(`GET ${pathOf(daemon)} HTTP/1.1\r\nhost: x\r\n\r\n`),
  }),
});
const CHUNKED = 'host: x\r\ntransfer-encoding: chunked\r\n\r\n';
/** Live sockets in the default namespace, which requires no login; the first `incomplete` stop within a message. */
const sockets = (connections, incomplete) => ({
  hold: ({ host }) => ({
    connections,
    begin: (socket, number, count) => {
      socket.write(
        `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
          `sec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
      );
      socket.once('data', (text) => {
        count(String(text).slice(9, 12));
        if (!String(text).startsWith('HTTP/1.1 101')) return;
        socket.write(Buffer.concat([frameHead(2), Buffer.from('40')]));
        if (number < incomplete) socket.write(incompleteFrame);
      });
      socket.resume();
    },
  }),
});

export const ATTACKS = [
  { name: 'no attack' },
  { name: 'deep arrays at the login, 16 connections', ...login(16, deepArrays) },
  { name: 'deep arrays at the login, 64 connections', ...login(64, deepArrays) },
  { name: 'deep arrays at the login, 128 connections', ...login(128, deepArrays) },
  { name: '28,000 keys at the login, 64 connections', ...login(64, manyKeys) },
  { name: '2,500 unfinished bodies at the API', ...unfinished(2_500, BODY_BYTES, () => '/api/v1/targets') },
  {
    name: '2,500 unfinished bodies at the API from 200 addresses',
    ...unfinished(2_500, BODY_BYTES, () => '/api/v1/targets', true),
  },
  {
    name: 'pipelined requests without end, 8 connections',
    ...repeated(8, () => '', 'GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n'),
  },
  {
    name: 'pipelined requests below /hooks, 60 connections',
    ...repeated(60, () => '', 'GET /hooks/x HTTP/1.1\r\nhost: x\r\n\r\n'),
  },
  {
    name: 'one-byte chunks after an error response, 8 connections',
    ...repeated(8, () => `POST /hooks/x HTTP/1.1\r\n${CHUNKED}`, '1\r\na\r\n'),
  },
  {
    name: 'one-byte chunks at the login, 8 connections',
    ...repeated(
      8,
      () => `POST /api/v1/session HTTP/1.1\r\ncontent-type: application/json\r\n${CHUNKED}`,
      '1\r\na\r\n',
    ),
  },
  { name: '2,100 responses that are never read', ...unread(2_100, ({ asset }) => asset) },
  { name: '3,000 sockets, 400 incomplete messages', ...sockets(3_000, 400) },
  {
    name: '600 incomplete notifications of 1 MB',
    ...unfinished(600, NOTIFICATION_BYTES, ({ hookPath }) => hookPath),
  },
  { name: 'previews of 9,000 conditions, 8 connections', ...preview(8) },
  { name: 'previews of 9,000 conditions, 64 connections', ...preview(64) },
  {
    name: 'the whole quarantine, 8 connections',
    quarantined: true,
    ...read(8, '/api/v1/rejections?limit=200'),
  },
  {
    name: 'the whole quarantine, 40 connections',
    quarantined: true,
    ...read(40, '/api/v1/rejections?limit=200'),
  },
  { name: 'exports, 64 connections', ...read(64, '/api/v1/events/export') },
  { name: 'lists filtered by 400 patterns, 32 connections', ...read(32, `/api/v1/events?${patterns}`) },
];

/** The head of a WebSocket text frame from a client (RFC 6455, 5.2), masked with zeros. */
function frameHead(bytes) {
  const length = bytes < 126 ? Buffer.from([0x80 | bytes]) : Buffer.alloc(9, 0xff);
  if (bytes >= 126) length.writeBigUInt64BE(BigInt(bytes), 1);
  return Buffer.concat([Buffer.from([0x81]), length, Buffer.alloc(4)]);
}
