import { readFileSync } from 'node:fs';
import { emit } from '../../support/daemon/emit';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { JSON_TYPE, bearer, daemon, open, opened, post, useHub } from './hub';

const KIB = 1_024;

useHub();

const logged = (words: string) => daemon.output.split('\n').find((line) => line.includes(words));

describe('a request without a login', () => {
  it.each([
    ['POST', '/api/v1/targets', 401],
    ['PATCH', '/api/v1/targets/tgt_1', 401],
    ['POST', '/api/v1/targets/preview', 401],
    ['DELETE', '/api/v1/tokens/tok_1', 401],
    ['POST', '/api/v1/nowhere', 401],
    ['PUT', '/anything', 404],
  ])(
    'gets its response before its body arrives, and its connection is closed: %s %s',
    async (method, path, status) => {
      const connection = open().begin(method, path, { ...JSON_TYPE, 'content-length': 200 * KIB });
      const response = await connection.untilEnded();
      expect(connection.statuses).toEqual([status]);
      expect(response).toMatch(/\r\nconnection: close\r\n/i);
      expect(response).toContain('application/problem+json');
    },
  );

  it('receives its response although the client is still sending', async () => {
    const connection = open().begin('POST', '/api/v1/targets', {
      ...JSON_TYPE,
      'content-length': 8_000 * KIB,
    });
    for (let i = 0; i < 40; i += 1) connection.write(Buffer.alloc(200 * KIB, 0x20));
    expect(await connection.untilEnded()).toMatch(/^HTTP\/1\.1 401 [^]*"code":"unauthorized"[^]*\}$/);
  });

  it('leaves no connection open once its client has disconnected', async () => {
    const head = { ...JSON_TYPE, 'content-length': 256 * KIB };
    const before = openConnections();
    for (let i = 0; i < 50; i += 1) {
      const connection = open()
        .begin('POST', '/api/v1/targets', head)
        .write(Buffer.alloc(256 * KIB, 0x5b));
      await connection.untilResponses();
      connection.close();
    }
    await until('they are closed', () => openConnections() <= before);
  });

  it('is the last one on its connection', async () => {
    const connection = open().begin('POST', '/api/v1/targets', { ...JSON_TYPE, 'content-length': 2 });
    await connection.untilEnded();
    connection.write('{}').begin('GET', '/healthz');
    await emit(daemon, 'deal.created', { id: 1 });
    expect(connection.statuses).toEqual([401]);
  });

  it('has two seconds to close its connection, whether it is still sending or not', async () => {
    const before = openConnections();
    await open()
      .begin('POST', '/api/v1/targets', { ...JSON_TYPE, 'content-length': 2 })
      .untilEnded();
    expect(openConnections()).toBeGreaterThan(before);
    const endless = open().begin('POST', '/api/v1/targets', { ...JSON_TYPE, 'content-length': 8_000 * KIB });
    await endless.untilEnded();
    expect(openConnections()).toBeGreaterThan(before);
    await until('both are closed', () => {
      endless.write(' ');
      return openConnections() <= before;
    });
  });

  it('does not learn what is wrong with its body', async () => {
    expect(await post('/targets', '{', {})).toMatchObject({ status: 401 });
    expect(await post('/targets', '[]', { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
  });

  it('uses no memory for its body, however many there are and however much they send', async () => {
    const before = residentBytes();
    const length = { ...JSON_TYPE, 'content-length': KIB * KIB };
    const piece = Buffer.alloc(1_000 * KIB, 0x5b);
    for (let i = 0; i < 400; i += 1) open().begin('POST', '/api/v1/targets', length).write(piece);
    await Promise.all(opened.map((connection) => connection.untilResponses()));
    expect(residentBytes() - before).toBeLessThan(150 * KIB * KIB);
  });
});

describe('a body that is not needed', () => {
  it.each([
    ['POST', '/hooks/nobody', 404],
    ['PUT', '/hooks/nobody', 404],
    ['GET', '/healthz', 200],
    ['GET', '/', 200],
  ])('is not waited for: the response closes the connection (%s %s)', async (method, path, status) => {
    const connection = open().begin(method, path, { accept: 'text/html', 'content-length': 1e12 });
    const response = await connection.untilEnded();
    expect(connection.statuses).toEqual([status]);
    expect(response.toLowerCase()).toContain('connection: close');
  });
});

describe('a body on an open route', () => {
  it('is rejected above 4 KiB, unread if its length is declared, otherwise as soon as the limit is exceeded', async () => {
    const declared = open().begin('POST', '/api/v1/session', { ...JSON_TYPE, 'content-length': 4 * KIB + 1 });
    expect(await declared.untilEnded()).toMatch(/^HTTP\/1\.1 413 [^]*"code":"body_too_large"/);
    const chunked = open().begin('POST', '/api/v1/session', { ...JSON_TYPE, 'transfer-encoding': 'chunked' });
    chunked.write(`1001\r\n${' '.repeat(4 * KIB + 1)}\r\n`);
    expect(await chunked.untilEnded()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is accepted up to that size', async () => {
    const { length } = JSON.stringify({ token: daemon.token });
    const body = JSON.stringify({ token: daemon.token }) + ' '.repeat(4 * KIB - length);
    expect(await post('/session', body, {})).toMatchObject({ status: 201 });
  });

  it('that never ends is dropped in favour of others', async () => {
    const headers = { ...JSON_TYPE, 'content-length': 4 * KIB };
    for (let i = 0; i < 1_100; i += 1) open().begin('POST', '/api/v1/session', headers);
    const [first] = opened;
    expect(await first!.untilEnded()).toMatch(
      /^HTTP\/1\.1 503 [^]*retry-after: 5\r\n[^]*"code":"overloaded"/,
    );
    expect(await post('/session', JSON.stringify({ token: daemon.token }), {})).toMatchObject({
      status: 201,
    });
    await emit(daemon, 'deal.created', { id: 2 });
  });
});

describe('a body', () => {
  it.each([
    ['nested 33 levels deep', '['.repeat(33) + ']'.repeat(33), 'nested deeper than 32 levels'],
    ['nested without an end', '['.repeat(15 * KIB), 'nested deeper than 32 levels'],
    ['of objects within objects', '{"a":'.repeat(40) + '1' + '}'.repeat(40), 'nested deeper than 32 levels'],
  ])('%s is rejected before it is parsed', async (_, body, fault) => {
    const response = await post('/connection/disconnect', body);
    expect(response.status).toBe(400);
    expect(response.text).toContain(fault);
  });

  it('with more than 20,000 values and names is rejected before it is parsed', async () => {
    const body = `{"body":[${'1,'.repeat(20_000)}1],"target_ids":["tgt_1"]}`;
    expect(await post('/events/evt_1/resend', body)).toMatchObject({
      status: 400,
      text: expect.stringContaining('more than 20000 values and names'),
    });
  });

  it('is accepted if the brackets are only in its strings', async () => {
    const name = `${'['.repeat(60)}\\"{`;
    const response = await post('/tokens', `{"name":"${name}","scopes":["read"]}`);
    expect(response.status).toBe(201);
  });

  it('with another content type than JSON is rejected unread', async () => {
    const headers = { ...bearer(), 'content-type': 'text/plain', 'content-length': 10 * KIB };
    expect(await open().begin('POST', '/api/v1/targets', headers).untilEnded()).toMatch(/^HTTP\/1\.1 415 /);
  });

  it('that the client aborts is not logged as an error', async () => {
    const connection = open().begin('POST', '/api/v1/targets', {
      ...bearer(),
      ...JSON_TYPE,
      'content-length': 9,
    });
    await until('it is being read', async () => (await emit(daemon, 'deal.created', { id: 3 })) !== '');
    connection.close();
    await until('that is logged', () => logged('"code":"aborted"') !== undefined);
    expect(JSON.parse(logged('"code":"aborted"')!)).toMatchObject({ level: 20, msg: 'request rejected' });
  });

  it('is rejected with only a few of its unknown names, each truncated', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `"${i}-${'n'.repeat(150)}":1`);
    const { status, text } = await post('/targets', `{${names.join(',')}}`);
    expect(status).toBe(400);
    expect(text).toContain('0-nnn');
    expect(text).toContain('and 495 more');
    expect(text.length).toBeLessThan(2 * KIB);
  });

  it('on a route that accepts none is rejected with only a few of its names as well', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `"${i}-${'n'.repeat(20)}":1`);
    const { status, text } = await post('/subscription/repair', `{${names.join(',')}}`);
    expect(status).toBe(400);
    expect(text).toContain('0-nnn');
    expect(text.length).toBeLessThan(4 * KIB);
  });
});

describe('an edited payload that is resent', () => {
  it("may have names of JavaScript's own, except __proto__, which is rejected", async () => {
    const receiver = await RecordingTarget.start();
    const { id: target } = await daemon.addTarget('edited', receiver.url, { events: ['edited.*'] });
    const event = await emit(daemon, 'edited.event', { id: 5 });
    await until('the event', () => receiver.hits.length === 1);
    const resend = (body: string) =>
      post(`/events/${event}/resend`, `{"body":${body},"target_ids":["${target}"]}`);
    const body = '{"keep":1,"prototype":{"a":1},"constructor":{"prototype":{}},"nested":[{"prototype":2}]}';
    expect(await resend(body)).toMatchObject({ status: 202 });
    await until('the edited one', () => receiver.hits.length === 2);
    expect(receiver.hits[1]!.body.toString()).toBe(body);
    expect(await resend('{"__proto__":{"polluted":1}}')).toMatchObject({ status: 400 });
    expect(await resend('{"deep":{"\\u005f_proto__":{"polluted":1}}}')).toMatchObject({ status: 400 });
    await receiver.close();
  });
});

/** The number of connections to its port that the daemon has not closed. */
function openConnections(): number {
  const port = Number(new URL(daemon.url).port).toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  // Local address, state (listening is 0A), and the inode, which is 0 if only the kernel holds the socket.
  return rows.filter(
    ([, local, , state, , , , , , inode]) => local?.endsWith(`:${port}`) && state !== '0A' && inode !== '0',
  ).length;
}

/** The memory usage of the daemon. */
function residentBytes(): number {
  const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * KIB;
}
