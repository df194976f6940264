import { once } from 'node:events';
import { connect } from 'node:net';
import { rejectionPage, type Rejection } from '../../../src/contract/rejection';
import { stats } from '../../../src/contract/stats';
import { subscription } from '../../../src/contract/subscription';
import { QuarantineStore } from '../../../src/relay/intake/quarantine.store';
import { signedNotification, type SignedNotification } from '../../support/signed-notification';
import { until } from '../../support/until';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import {
  BODY_LIMIT_BYTES,
  accepted,
  eventsStored,
  expectProblem,
  idOf,
  rejections,
  switchboard,
  useHub,
} from './hub';

useHub();

const rejectedBody = async (id: string) => (await switchboard.ask(`/rejections/${id}/body`)).body;

async function allRejections(): Promise<{ data: Rejection[]; dropped: number }> {
  const data: Rejection[] = [];
  for (let query = ''; ;) {
    const page = await switchboard.read(rejectionPage, `/rejections?limit=200${query}`);
    data.push(...page.data);
    if (page.next_cursor === null) return { data, dropped: page.dropped.count };
    query = `&cursor=${page.next_cursor}`;
  }
}

const ofCase = async (name: string) =>
  (await rejections()).filter(({ headers }) =>
    headers.some(([header, value]) => header === 'x-case' && value === name),
  );

const pageMarkOf = ({ headers }: Rejection) => headers.find(([name]) => name === 'x-page')?.[1] ?? '';

describe('a notification without a valid signature', () => {
  const { body, signature } = signedNotification('contact-updated');
  const oneBitChanged = Buffer.from(body);
  oneBitChanged[40]! ^= 1;
  const cases: [name: string, sent: SignedNotification, reason: Rejection['reason']][] = [
    ['no signature', { body, signature: 'none' }, 'no_signature'],
    ['a truncated signature', { body, signature: signature.slice(0, 63) }, 'no_signature'],
    ['a signature with an extra digit', { body, signature: `${signature}0` }, 'no_signature'],
    [
      'the signature of another body',
      { body, signature: signedNotification('deal-updated').signature },
      'signature_mismatch',
    ],
    ['a wrong digit', { body, signature: wrongDigit(signature) }, 'signature_mismatch'],
    ['a body with one bit changed', { body: oneBitChanged, signature }, 'signature_mismatch'],
    ['a body without its last byte', { body: body.subarray(0, -1), signature }, 'signature_mismatch'],
    [
      'a body with an extra byte',
      { body: Buffer.concat([body, Buffer.from('\n')]), signature },
      'signature_mismatch',
    ],
  ];

  it('is rejected and quarantined within a second, complete and with the reason', async () => {
    const before = await eventsStored();
    for (const [name, sent] of cases) {
      expectProblem(await switchboard.notify(sent, { headers: [['x-case', name]] }), 401, 'bad_signature');
    }
    await until('the last is quarantined', async () => (await ofCase(cases.at(-1)![0])).length > 0);
    for (const [name, sent, reason] of cases) {
      const found = await ofCase(name);
      expect(found.map((one) => ({ name, reason: one.reason, size: one.size_bytes }))).toEqual([
        { name, reason, size: sent.body.length },
      ]);
      expect(await rejectedBody(found[0]!.id)).toEqual(sent.body);
    }
    expect(await eventsStored()).toBe(before);
  });

  it('is rejected if it has no signature header at all', async () => {
    const response = await switchboard.wire.send(switchboard.hookPath, { method: 'POST', body });
    expectProblem(response, 401, 'bad_signature');
  });

  it('is listed newest first, over several pages, exactly once', async () => {
    const marks = Array.from({ length: 30 }, (_, i) => `page-${i}`);
    const sent = { body: Buffer.from('whatever'), signature: 'none' };
    const mark = (name: string) => switchboard.notify(sent, { headers: [['x-page', name]] });
    await Promise.all(marks.map(mark));
    const all = async () => (await rejections()).map(pageMarkOf).filter((text) => text.startsWith('page-'));
    await until('all are quarantined', async () => (await all()).length === marks.length);

    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await switchboard.read(rejectionPage, `/rejections?limit=7${query}`);
      listed.push(...page.data.map(pageMarkOf));
      cursor = page.next_cursor;
    }
    expect(listed.filter((text) => text.startsWith('page-')).sort()).toEqual(marks.sort());
    expect(listed).toEqual((await rejections()).map(pageMarkOf));
    const unknown = await switchboard.ask('/rejections?cursor=rej_1');
    expect(unknown).toMatchObject({ status: 400, json: { code: 'cursor_unknown' } });
  });

  it('is listed without its body, which is a separate download, and with shortened headers', async () => {
    const sent = { body: Buffer.from([0, 255, ...Buffer.from('<script>')]), signature: 'none' };
    const long: [string, string] = ['x-long', 'a'.repeat(10_000)];
    const type: [string, string] = ['content-type', 'text/html'];
    await switchboard.notify(sent, { headers: [['x-case', 'download'], type, long] });
    await until('it is quarantined', async () => (await ofCase('download')).length > 0);
    const { id } = (await ofCase('download'))[0]!;
    const list = await switchboard.ask('/rejections?limit=1');
    expect(list.text).not.toContain(sent.body.toString('base64').slice(0, 8));
    expect(list.text.length).toBeLessThan(6_000);

    const response = await switchboard.ask(`/rejections/${id}/body`);
    expect(response.body).toEqual(sent.body);
    expect(response.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${id}.body"`,
      'x-content-type-options': 'nosniff',
    });
    expectProblem(
      await switchboard.ask('/rejections/rej_00000000000000000000000000/body'),
      404,
      'rejection_unknown',
    );
  });

  it('is buffered up to a limit until it is written; beyond the limit it is only counted as dropped', async () => {
    const before = await allRejections();
    const writes = jest.spyOn(QuarantineStore.prototype, 'write').mockResolvedValue();
    const flood = Array.from({ length: 400 }, (_, i) =>
      switchboard.notify({ body: Buffer.from(`flood-${i};`.padEnd(4_000)), signature: 'none' }),
    );
    const responses = await Promise.all(flood).finally(() => writes.mockRestore());
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
    let after = before;
    await until('each is quarantined or counted', async () => {
      after = await allRejections();
      return after.data.length - before.data.length + after.dropped - before.dropped === flood.length;
    });
    expect(after.dropped).toBeGreaterThan(before.dropped);
    const first = after.data.at(-1 - before.data.length)!;
    expect((await rejectedBody(first.id)).toString()).toMatch(/^flood-\d;/);
    expect(switchboard.logged).toMatch(/"dropped":[1-9]\d*.*notifications quarantined/);
  });
});

describe('a body over the limit', () => {
  it.each([
    ['with its length declared', undefined],
    ['in chunks', 1_000],
  ])('is rejected %s', async (_, chunkBytes) => {
    const body = Buffer.alloc(BODY_LIMIT_BYTES + 1, 'x');
    const headers: [string, string][] = [
      [SIGNATURE_HEADER, switchboard.upstream.sign(switchboard.webhook, body)],
    ];
    const request = { method: 'POST', headers, body, ...(chunkBytes && { chunkBytes }) };
    expectProblem(await switchboard.wire.send(switchboard.hookPath, request), 413, 'too_large');
  });

  it('is accepted at exactly the limit', async () => {
    const body = Buffer.alloc(BODY_LIMIT_BYTES, 'y');
    const response = await switchboard.notify({
      body,
      signature: switchboard.upstream.sign(switchboard.webhook, body),
    });
    expect(response).toMatchObject(accepted);
  });
});

describe('a request that is not a notification', () => {
  it.each(['GET', 'PUT', 'DELETE'])('is rejected: %s instead of POST', async (method) => {
    const response = await switchboard.wire.send(switchboard.hookPath, { method });
    expectProblem(response, 405, 'method_not_allowed');
    expect(response.headers['allow']).toBe('POST');
  });

  it('leaves nothing behind when its client disconnects halfway', async () => {
    const before = await switchboard.read(stats, '/stats');
    const { body, signature } = switchboard.sign('cut.short');
    const socket = connect(switchboard.wire.port, '127.0.0.1');
    socket.write(
      `POST ${switchboard.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n${SIGNATURE_HEADER}: ${signature}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.end(body.subarray(0, body.length - 1));
    await once(socket.resume(), 'close');
    const { received } = await switchboard.read(stats, '/stats');
    expect(received).toEqual({ ...before.received, not_stored: before.received.not_stored + 1 });
  });
});

const learnedHeaders = async () => {
  const { signature_header: now, signature_header_before: before } = await switchboard.read(
    subscription,
    '/subscription',
  );
  return { now, before };
};

/** What is revealed while another change is stored is learned from the next notification. */
const learn = (header: string) =>
  until(`${header} is learned`, async () => {
    const response = await switchboard.notify(switchboard.sign('header.learned'), { header });
    expect(response).toMatchObject(accepted);
    return (await learnedHeaders()).now === header;
  });

const latestDrift = async () => (await switchboard.read(subscription, '/subscription')).drift[0];

const sendWithDecoys = (count: number, header: string) =>
  switchboard.notify(switchboard.sign('header.decoys'), { header, headers: decoys(count) });

describe('the signature', () => {
  it.each([
    ['deal-updated', 'bare', (hex: string) => hex],
    ['deal-status-changed', 'sha256=…', (hex: string) => `sha256=${hex}`],
    ['task-completed', 't=…,v1=…', (hex: string) => `t=1763640000,v1=${hex}`],
    ['scenario-executed', 'in uppercase', (hex: string) => `sha256=${hex.toUpperCase()}`],
    ['agent-triggered', 'one of several', (hex: string) => `v1=${'0'.repeat(64)} v1=${hex}`],
  ])('is found in %s, written %s', async (name, _, write) => {
    const { body, signature } = signedNotification(name);
    expect(await switchboard.notify({ body, signature: write(signature) })).toMatchObject(accepted);
  });

  it.each(['X-Hub-Signature-256', 'signature', 'authorization', 'x-' + 'a'.repeat(60), 'etag'])(
    'is found in any header: %s',
    async (header) => {
      const response = await switchboard.notify(switchboard.sign('any.header'), { header });
      expect(response).toMatchObject(accepted);
      expect((await switchboard.event(idOf(response))).verification?.header).toBe(header.toLowerCase());
    },
  );

  it('is expected in the header it was found in; a change of that header is accepted and reported', async () => {
    await learn('x-first-name');
    await learn('x-second-name');
    expect(await learnedHeaders()).toEqual({ now: 'x-second-name', before: 'x-first-name' });
    await until('the change is reported', async () => (await latestDrift())?.after === 'x-second-name');
    expect(await latestDrift()).toMatchObject({
      field: 'signature_header',
      before: 'x-first-name',
      outcome: 'accepted',
    });
  });

  it('is searched among sixteen candidates at most, starting with the known header', async () => {
    await learn('x-known');
    expect((await sendWithDecoys(16, 'x-other')).status).toBe(401);
    expect((await sendWithDecoys(16, 'x-known')).status).toBe(200);
    expect((await sendWithDecoys(15, 'x-other')).status).toBe(200);
  });
});

it('rejected notifications are counted', async () => {
  const { received } = await switchboard.read(stats, '/stats');
  expect(received.rejected).toBeGreaterThan(400);
  // Two were too large, three not POST, and one was cut off.
  expect(received.not_stored).toBe(6);
});

function decoys(count: number): [string, string][] {
  return Array.from({ length: count }, (_, i) => [`x-decoy-${i}`, i.toString(16).padStart(64, '0')]);
}

function wrongDigit(signature: string): string {
  return (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
}
