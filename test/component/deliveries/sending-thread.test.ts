import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { SendingThread } from '../../../src/relay/deliveries/sending/sending-thread';
import type { Log } from '../../../src/relay/ground/log';
import { MachineFaults } from '../../../src/relay/ground/machine-faults';
import type { Route } from '../../../src/relay/network/connector';
import { ONLY_DAEMON } from '../../support/only-daemon';
import { until } from '../../support/until';

describe('the thread that sends', () => {
  const held: ServerResponse[] = [];
  const bodies: string[] = [];
  const errors: unknown[] = [];
  let server: Server;
  let thread: SendingThread;

  beforeEach(async () => {
    for (const list of [held, bodies, errors]) list.length = 0;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        bodies.push(body);
        if (request.headers['x-hold'] === undefined) response.writeHead(500).end(`echo ${body}`);
        else held.push(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const log = { error: (fields: unknown) => void errors.push(fields) } as unknown as Log;
    thread = new SendingThread(log, new MachineFaults(ONLY_DAEMON.leaderLink));
  });

  afterEach(async () => {
    await thread.end();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = (resolve: Route['resolve'] = async () => [{ address: '127.0.0.1', family: 4 }]) => {
    const url = `http://target.test:${(server.address() as AddressInfo).port}/`;
    const route = { proxy: null, resolve, resolveProxy: resolve };
    return thread.open({ url, tls: null, policy: DEFAULT_POLICY }, route);
  };
  const send = (connections: number, body: string, headers: Record<string, string> = {}) =>
    thread.send(connections, headers, Buffer.from(body), ['confidential']);

  it('sends each request its own bytes and returns its outcome, with secrets masked', async () => {
    const connections = open();
    const sent = ['one', 'two is confidential', ''].map((body) => send(connections, body));
    const outcomes = await Promise.all(sent);
    expect(outcomes.map((outcome) => outcome?.excerpt)).toEqual(['echo one', 'echo two is ***', 'echo ']);
    expect(outcomes[0]).toMatchObject({ status: 500, error: 'http_status', retryAfter: null });
  });

  it('connects only to addresses that the main thread has returned', async () => {
    const denied = open(() => Promise.reject(Object.assign(new Error(), { code: 'ERR_ADDRESS_DENIED' })));
    expect(await send(denied, 'one')).toMatchObject({ status: null, error: 'address_denied' });
    const other = open(async () => [{ address: '127.0.0.2', family: 4 }]);
    expect(await send(other, 'two')).toMatchObject({ status: null, error: 'connection_refused' });
    expect(bodies).toEqual([]);
  });

  it('leaves the outcomes of its requests unknown when it fails, and is started again', async () => {
    const connections = open();
    const lost = send(connections, 'lost', { 'x-hold': 'yes' });
    await until('it is in flight', () => held.length === 1);
    const { worker } = thread as unknown as { worker: Worker };
    worker.postMessage({ kind: 'send', requests: null });
    expect(await lost).toBeNull();
    expect(errors).toHaveLength(1);
    expect(await send(connections, 'again')).toMatchObject({ status: 500, excerpt: 'echo again' });
  });

  it('ends requests when their connections are aborted, and waits for them when these are closed', async () => {
    const [aborted, closed] = [open(), open()];
    const first = send(aborted, 'one', { 'x-hold': 'yes' });
    const second = send(closed, 'two', { 'x-hold': 'yes' });
    await until('both are in flight', () => held.length === 2);
    thread.abort(aborted);
    expect(await first).toBeNull();
    let isClosed = false;
    const closing = thread.close(closed).then(() => (isClosed = true));
    expect(isClosed).toBe(false);
    for (const response of held) response.writeHead(204).end();
    expect(await second).toMatchObject({ status: 204, error: null });
    await closing;
    expect(await send(closed, 'three')).toBeNull();
    expect(bodies.toSorted()).toEqual(['one', 'two']);
  });
});
