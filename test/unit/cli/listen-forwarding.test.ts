import type { ListenDelivery, ListenResult } from '../../../src/contract/listen';
import { Attempts } from '../../../src/cli/remote/listen/attempts';
import { isOtherMachine, lookupLocal, NOT_LOCAL } from '../../../src/cli/remote/listen/local-addresses';
import { LocalReceiver } from '../../../src/cli/remote/listen/local-receiver';
import { useReceivers } from '../../support/fakes/receivers';
import { freePort } from '../../support/free-port';
import { until } from '../../support/until';

const start = useReceivers();
const OPTIONS = { allowExternal: false, hasExcerpt: true };

const delivery = (more: Partial<ListenDelivery> = {}): ListenDelivery => ({
  delivery: 'dlv_1',
  attempt: 1,
  headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json' },
  body: Buffer.from('{"exact": 1.0}'),
  timeout_ms: 40_000,
  ...more,
});

const forward = (url: string, more: Partial<ListenDelivery> = {}, options = OPTIONS) =>
  new LocalReceiver(new URL(url), options).forward(delivery(more));

const find = (name: string, all: boolean) =>
  new Promise((resolve) => {
    lookupLocal(name, { all }, (error, found) => resolve(error?.code ?? found));
  });

it('posts the exact bytes to path and query, with the headers that the hub may choose', async () => {
  const receiver = await start();
  const chosen = { 'x-api-key': 'of the target', 'switchboard-attempt': '1' };
  const denied = {
    host: 'metadata.internal',
    authorization: 'Basic x',
    Cookie: 'session=1',
    'X-Forwarded-For': '10.0.0.1',
    'transfer-encoding': 'chunked',
    'Proxy-Authorization': 'x',
  };
  const outcome = await forward(receiver.url, { headers: { ...chosen, ...denied } });
  expect(outcome).toMatchObject({ status: 200 });
  const [hit] = receiver.hits;
  expect([hit!.method, hit!.path, hit!.body.toString()]).toEqual([
    'POST',
    '/events?from=switchboard',
    '{"exact": 1.0}',
  ]);
  expect(hit!.headers).toMatchObject({ ...chosen, host: new URL(receiver.url).host });
  expect(hit!.headers).not.toMatchObject({ authorization: expect.anything() });
  expect(Object.keys(hit!.headers).filter((name) => /cookie|forwarded|proxy|encoding/.test(name))).toEqual(
    [],
  );
});

it('does not follow a redirect', async () => {
  const other = await start();
  const receiver = await start((response) => response.writeHead(302, { location: other.url }).end());
  expect(await forward(receiver.url)).toMatchObject({ status: 302 });
  expect(other.hits).toEqual([]);
});

it('reads only the beginning of a response, and reports at most 2 KiB of it, or nothing', async () => {
  let written = 0;
  const receiver = await start((response) => {
    const send = () => {
      do written += 65_536;
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 1)));
      response.once('drain', send);
    };
    response.writeHead(500, { 'retry-after': '7' });
    send();
  });
  const outcome = await forward(receiver.url);
  expect(outcome).toMatchObject({ status: 500, retry_after: '7' });
  expect(Buffer.byteLength(JSON.stringify(outcome))).toBeLessThan(2_048);
  expect(outcome.excerpt).toMatch(/^\p{Cc}+$/u);
  // What fits into the buffers of sockets, not what arrives in a second.
  expect(written).toBeLessThan(20 * 1024 * 1024);
  const silent = await forward(receiver.url, {}, { ...OPTIONS, hasExcerpt: false });
  expect(silent).not.toHaveProperty('excerpt');
});

it('tells apart what the receiver may have seen from what it cannot have', async () => {
  const hanging = await start(() => undefined);
  expect(await forward(hanging.url, { timeout_ms: 50 })).toMatchObject({ error: 'timeout' });
  const resetting = await start((response) => response.socket!.destroy());
  expect(await forward(resetting.url)).toMatchObject({ error: 'connection_reset' });
  const closed = `http://127.0.0.1:${await freePort()}/`;
  expect(await forward(closed)).toMatchObject({ error: 'not_connected', reason: 'ECONNREFUSED' });
  const withoutTls = hanging.url.replace('http:', 'https:');
  expect(await forward(withoutTls)).toMatchObject({ error: 'not_connected' });
});

it('connects to this machine only, whatever a name leads to', async () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'localhost'].filter(isOtherMachine)).toEqual(
    [],
  );
  expect(
    ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', '::ffff:10.0.0.1'].filter(isOtherMachine),
  ).toHaveLength(5);
  // A literal stands for a name that leads there: both pass the same function.
  expect(await find('169.254.169.254', true)).toBe(NOT_LOCAL);
  expect(await find('127.0.0.1', true)).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(await find('127.0.0.1', false)).toBe('127.0.0.1');
});

it('an attempt that the hub asks for again, because it did not get the result, is not made again', async () => {
  let release: (() => void) | null = null;
  const receiver = await start((response) => (release = () => response.writeHead(204).end()));
  const reported: { result: ListenResult; confirmed: () => void }[] = [];
  const attempts = new Attempts(
    new LocalReceiver(new URL(receiver.url), OPTIONS),
    (result, confirmed) => reported.push({ result, confirmed }),
    () => undefined,
    () => undefined,
  );
  void attempts.make(delivery());
  await until('it is sent', () => release !== null);
  void attempts.make(delivery());
  release!();
  await until('it is reported', () => reported.length === 1);
  void attempts.make(delivery());
  expect(reported.map(({ result }) => [result.delivery, result.status])).toEqual([
    ['dlv_1', 204],
    ['dlv_1', 204],
  ]);
  expect([receiver.hits.length, attempts.isSettled]).toEqual([1, false]);

  // The same ids of another event, after a restore.
  void attempts.make(delivery({ headers: { 'webhook-id': 'evt_2' } }));
  await until('it is sent', () => receiver.hits.length === 2);
  release!();
  await until('it is reported', () => reported.length === 3);
  for (const { confirmed } of reported) confirmed();
  expect(attempts.isSettled).toBe(true);
});

it('the result of a test, which the hub does not store, is not waited for', async () => {
  const receiver = await start();
  const reported: ListenResult[] = [];
  const attempts = new Attempts(
    new LocalReceiver(new URL(receiver.url), OPTIONS),
    (result) => reported.push(result),
    () => undefined,
    () => undefined,
  );
  await attempts.make(delivery({ headers: { 'webhook-id': 'evt_1', 'switchboard-trigger': 'test' } }));
  expect([reported.length, attempts.isSettled]).toEqual([1, true]);
});
