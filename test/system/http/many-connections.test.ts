import { emit } from '../../support/daemon/emit';
import { openFiles } from '../../support/open-files';
import { until } from '../../support/until';
import { bearer, daemon, open, opened, post, useHub } from './hub';

const HTML = { headers: { accept: 'text/html' } };

useHub();

describe('two thousand connections', () => {
  it('without requests block neither new connections nor those in use', async () => {
    const { pathname } = new URL(daemon.webhook.url);
    const used = open().begin('POST', pathname, { 'content-length': 0 });
    await used.untilResponses();
    // A few at a time: they would have to wait if the kernel's queue were full.
    for (let i = 0; i < 67; i += 1)
      await Promise.all(Array.from({ length: 30 }, () => open().untilConnected()));
    await opened[1]!.untilEnded();
    expect(used.isEnded).toBe(false);
    await emit(daemon, 'deal.created', { id: 6 });
    expect(await post('/session', JSON.stringify({ token: daemon.token }), {})).toMatchObject({
      status: 201,
    });
    expect(used.begin('POST', pathname, { 'content-length': 0 }).isEnded).toBe(false);
    await used.untilResponses(2);
    expect(used.statuses).toEqual([401, 401]);
  });
});

describe('five hundred connections', () => {
  it('opened while the event loop is busy wait in the queue of the kernel', async () => {
    process.kill(daemon.pid, 'SIGSTOP');
    try {
      await Promise.all(Array.from({ length: 500 }, () => open().untilConnected()));
    } finally {
      process.kill(daemon.pid, 'SIGCONT');
    }
    await emit(daemon, 'deal.created', { id: 7 });
  });
});

const asset = async () => /\/assets\/[^"]+\.js/.exec(await (await fetch(daemon.url, HTML)).text())![0];
const request = (path: string, host = 'host: x\r\n') => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
/** What may stay open of a request: threads open other files at any time. */
const countOpen = () =>
  openFiles(daemon.pid).filter((file) => file.startsWith('socket:') || file.includes('/assets/')).length;

describe('pipelined requests', () => {
  it('are answered in order', async () => {
    const connection = open().write(request('/healthz') + request('/nothing').repeat(2));
    await connection.untilResponses(3);
    expect(connection.statuses).toEqual([200, 404, 404]);
    await emit(daemon, 'deal.created', { id: 8 });
  });

  it('leave nothing open if their client disconnects', async () => {
    const path = await asset();
    const before = countOpen();
    for (let i = 0; i < 10; i += 1) {
      const connection = open().stopReading().write(request(path).repeat(3));
      await connection.untilConnected();
      await post('/session', '{}', {});
      connection.close();
    }
    await until('all is closed', () => countOpen() <= before);
  });

  it.each([
    ['of any kind', request('/nothing')],
    ['without a host', request('/', '')],
    ['that expect what is not known', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n'],
    ['for a notification', 'POST /hooks/nobody HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
  ])('close their connection if there are too many: %s', async (_, text) => {
    const connection = open().write(text.repeat(1_000));
    await connection.untilEnded();
    expect(connection.statuses.length).toBeLessThan(5);
  });

  it.each([
    ['without a host', request('/', ''), 400],
    ['that expects what is not known', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n', 417],
  ])('are rejected, even a single one: %s', async (_, text, status) => {
    const connection = open().write(text);
    await connection.untilEnded();
    expect(connection.statuses).toEqual([status]);
  });
});

describe('malformed input', () => {
  it('is answered after the previous requests of its connection', async () => {
    const connection = open();
    connection.begin('GET', '/api/v1/events?limit=1', bearer()).write('NONSENSE\r\n\r\n');
    await connection.untilEnded();
    expect(connection.statuses).toEqual([200, 400]);
  });
});
