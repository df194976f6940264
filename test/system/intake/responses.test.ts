import { once } from 'node:events';
import { connect } from 'node:net';
import { filterPreview } from '../../../src/contract/filter';
import { replayPreview } from '../../../src/contract/replay';
import { rejectionPage, type Rejection } from '../../../src/contract/rejection';
import { problem } from '../../../src/contract/problem';
import { stats } from '../../../src/contract/stats';
import { subscription } from '../../../src/contract/subscription';
import { RecordingTarget } from '../../support/fakes/recording-target';
import {
  signedNotification,
  WEBHOOK_SECRET,
  type SignedNotification,
} from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import type { TestResponse } from '../../support/http';

const BODY_LIMIT_BYTES = 4_096;

let board: Switchboard;
let everything: RecordingTarget;
let patterns: RecordingTarget;

beforeAll(async () => {
  board = await Switchboard.start({
    environment: { SWITCHBOARD_BODY_LIMIT_BYTES: String(BODY_LIMIT_BYTES) },
  });
  everything = await RecordingTarget.start();
  patterns = await RecordingTarget.start();
  await board.addTarget('everything', everything.url, ['*']);
  await board.addTarget('patterns', patterns.url, ['*.*', 'deal.*', 'unreadable', '**']);
});

afterAll(async () => {
  await board.end();
  await everything.close();
  await patterns.close();
});

const accepted = {
  status: 200,
  json: { id: expect.stringMatching(/^evt_[0-9a-z]{26}$/), status: 'accepted' },
};
const idOf = ({ json }: TestResponse) => (json as { id: string }).id;
const storedBody = async (id: string) => (await board.ask(`/events/${id}/body`)).body;
const rejectedBody = async (id: string) => (await board.ask(`/rejections/${id}/body`)).body;
const eventsStored = async () => (await board.read(stats, '/stats')).received.accepted;
const rejections = async () =>
  (await board.read(rejectionPage, '/rejections?limit=200')).data satisfies Rejection[];

async function allRejections(): Promise<{ data: Rejection[]; dropped: number }> {
  const data: Rejection[] = [];
  for (let query = ''; ;) {
    const page = await board.read(rejectionPage, `/rejections?limit=200${query}`);
    data.push(...page.data);
    if (page.next_cursor === null) return { data, dropped: page.dropped.count };
    query = `&cursor=${page.next_cursor}`;
  }
}

function expectProblem(answer: TestResponse, status: number, code: string): void {
  expect(answer).toMatchObject({ status, json: { status, code } });
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(problem.parse(answer.json)).toEqual(answer.json);
}

async function untilHit(target: RecordingTarget, id: string): Promise<void> {
  await until(`${id} at the target`, () => target.of(id).length > 0);
}

it('the secret of the notifications is the one that was registered', () => {
  expect(board.webhook.secret).toBe(WEBHOOK_SECRET);
});

describe('what is signed', () => {
  it('is stored to the byte and answered 200', async () => {
    const notification = signedNotification('deal-created');
    const answer = await board.notify(notification);
    expect(answer).toMatchObject(accepted);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(await storedBody(idOf(answer))).toEqual(notification.body);
    expect(await board.event(idOf(answer))).toMatchObject({
      type: 'deal.created',
      entity: 'deal:42',
      occurred_at: '2026-11-20T12:00:01.000Z',
      webhook_id: 'wh_1001',
      size_bytes: notification.body.length,
      unreadable: null,
      duplicates: 0,
      verification: { header: SIGNATURE_HEADER, algorithm: 'hmac-sha256' },
    });
  });

  it('is kept whole in its headers, but for what could be credentials', async () => {
    const credentials: [string, string][] = [
      ['Authorization', 'Basic c29tZWJvZHk6c2VjcmV0'],
      ['Cookie', 'a=1'],
      ['Proxy-Authorization', 'Basic c29tZWJvZHk='],
    ];
    const headers: [string, string][] = [...credentials, ['X-Twice', 'one'], ['X-Twice', 'two']];
    const { headers: stored } = await board.event(
      idOf(await board.notify(board.sign('headers.kept'), { headers })),
    );
    const names = stored.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['host', 'content-type', 'content-length', SIGNATURE_HEADER]),
    );
    expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/authorization|cookie/)]));
    expect(stored.filter(([name]) => name === 'x-twice')).toEqual([
      ['x-twice', 'one'],
      ['x-twice', 'two'],
    ]);
  });

  it.each(['unknown-type', 'emoji-type'])(
    'is kept and delivered under a type nobody listed: %s',
    async (name) => {
      const notification = signedNotification(name);
      const id = idOf(await board.notify(notification));
      const { event } = JSON.parse(notification.body.toString()) as { event: string };
      expect(await board.event(id)).toMatchObject({ type: event, unreadable: null });
      await untilHit(everything, id);
      await untilHit(patterns, id);
    },
  );

  it.each([null, 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', ';;;', '', 'a/b; c="'])(
    'is kept whatever its content type says: %j',
    async (contentType) => {
      const notification = board.sign('content.type');
      const answer = await board.notify(notification, { contentType });
      expect(answer).toMatchObject(accepted);
      expect(await storedBody(idOf(answer))).toEqual(notification.body);
    },
  );

  it('is kept when it comes in pieces, without a length', async () => {
    const { body, signature } = signedNotification('deal-deleted');
    const headers: [string, string][] = [[SIGNATURE_HEADER, signature]];
    const answer = await board.wire.send(board.hookPath, { method: 'POST', headers, body, chunkBytes: 100 });
    expect(answer).toMatchObject(accepted);
    expect(await storedBody(idOf(answer))).toEqual(body);
  });

  it.each([
    ['not-utf8', /UTF-8/],
    ['not-json', /JSON/],
    ['json-array', /JSON object/],
    ['empty', /JSON/],
    ['without-event', /event/],
  ])(
    'but not readable is accepted, flagged, and reaches only targets that take everything: %s',
    async (name, why) => {
      const notification = signedNotification(name);
      const answer = await board.notify(notification);
      expect(answer).toMatchObject(accepted);
      const id = idOf(answer);
      expect(await storedBody(id)).toEqual(notification.body);
      await untilHit(everything, id);
      expect(everything.of(id)[0]!.body).toEqual(notification.body);
      const event = await board.event(id);
      expect(event.unreadable).toMatch(why);
      expect(event.deliveries.map(({ target_name }) => target_name)).toEqual(['everything']);
    },
  );

  it.each(['timestamp', 'webhook_id', 'data'])(
    'without the field %s is accepted, flagged, and reaches whom its type is meant for',
    async (field) => {
      const notification = signedNotification(`without-${field.replace('_', '-')}`);
      const id = idOf(await board.notify(notification));
      await untilHit(patterns, id);
      expect(patterns.of(id)[0]!.body).toEqual(notification.body);
      const event = await board.event(id);
      expect(event).toMatchObject({
        type: JSON.parse(notification.body.toString()).event,
        unreadable: `The field ${field} is missing.`,
      });
      expect(event.deliveries).toHaveLength(2);

      const meant = { events: [event.type], filter: { event: event.type, [field]: { $exists: false } } };
      const preview = await board.read(filterPreview, '/targets/preview', { method: 'POST', json: meant });
      expect(preview.data.map((found) => found.id)).toContain(id);
      const filter = { types: [event.type], payload: meant.filter };
      const replay = await board.read(replayPreview, '/replays/preview', {
        method: 'POST',
        json: { filter },
      });
      expect(replay.events).toBe(preview.matched);
      const exported = await board.ask(`/events/export?type=${event.type}`);
      const line = exported.text.split('\n').find((one) => one.includes(id));
      expect(JSON.parse(line!).body).toEqual(JSON.parse(notification.body.toString()));
    },
  );
});

describe('a repeat', () => {
  it('is answered as a duplicate, counted and timed on the first, and not delivered again', async () => {
    const notification = signedNotification('contact-created');
    const first = await board.notify(notification);
    expect(first).toMatchObject(accepted);
    const id = idOf(first);
    await untilHit(everything, id);
    const before = board.clock.now();
    expect((await board.notify(notification)).json).toEqual({ id, status: 'duplicate' });
    expect((await board.notify(notification)).json).toEqual({ id, status: 'duplicate' });

    const event = await board.event(id);
    expect(event.duplicates).toBe(2);
    expect(event.duplicate_times.map((time) => Date.parse(time) >= before)).toEqual([true, true]);
    expect(event.deliveries).toHaveLength(2);
    expect(everything.of(id)).toHaveLength(1);
    const { data } = (await board.ask('/events?limit=5')).json as {
      data: { id: string; duplicates: number }[];
    };
    expect(data.find((summary) => summary.id === id)).toMatchObject({ duplicates: 2 });
  });

  it('is told from the first even where twenty come at once', async () => {
    const notification = signedNotification('task-created');
    const answers = await Promise.all(Array.from({ length: 20 }, () => board.notify(notification)));
    const told = answers.map(({ status, json }) => ({
      http: status,
      ...(json as { id: string; status: string }),
    }));
    expect(told.filter(({ status }) => status === 'accepted')).toHaveLength(1);
    expect(told.filter(({ status, http }) => status === 'duplicate' && http === 200)).toHaveLength(19);
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
    const id = told[0]!.id;
    await untilHit(everything, id);
    expect((await board.event(id)).duplicates).toBe(19);
    expect(everything.of(id)).toHaveLength(1);
  });

  it('is one of the same bytes from another webhook: the value of webhook_id does not count', async () => {
    const id = idOf(await board.notify(signedNotification('deal-created')));
    const other = await board.notify(signedNotification('deal-created-by-another-webhook'));
    expect(other.json).toEqual({ id, status: 'duplicate' });
  });

  it.each([
    ['large-integer', 'large-integer-next', 'integers beyond 2^53 that differ'],
    ['nested-webhook-id', 'nested-webhook-id-other', 'a webhook_id within data that differs'],
    ['deal-created', 'deal-created-spaced', 'other white space'],
  ])('is none with %s and %s: %s', async (one, other) => {
    const first = idOf(await board.notify(signedNotification(one)));
    const second = await board.notify(signedNotification(other));
    expect(second).toMatchObject(accepted);
    expect(idOf(second)).not.toBe(first);
  });
});

describe('an unknown key', () => {
  it('is not found, whatever it carries, and leaves nothing behind', async () => {
    const before = await eventsStored();
    const kept = (await rejections()).length;
    const notification = signedNotification('deal-updated');
    const { hookPath } = board;
    for (const path of [
      '/hooks/unknown',
      `${hookPath}x`,
      hookPath.slice(0, -1),
      hookPath.replace(/[a-z](?=[^/]*$)/, 'A'),
    ]) {
      expectProblem(await board.notify(notification, { path }), 404, 'unknown_key');
      expectProblem(
        await board.notify({ ...notification, signature: 'wrong' }, { path }),
        404,
        'unknown_key',
      );
    }
    const large = { ...notification, body: Buffer.alloc(BODY_LIMIT_BYTES + 1) };
    expectProblem(await board.notify(large, { path: '/hooks/unknown' }), 404, 'unknown_key');

    // A rejection under the known key shows when the quarantine was written next.
    await board.notify({ body: Buffer.from('marker of the unknown key'), signature: 'none' });
    await until('the marker', async () => (await rejections()).length > kept);
    expect(await rejections()).toHaveLength(kept + 1);
    expect(await eventsStored()).toBe(before);
  });
});

const ofCase = async (name: string) =>
  (await rejections()).filter(({ headers }) =>
    headers.some(([header, value]) => header === 'x-case' && value === name),
  );

const markOf = ({ headers }: Rejection) => headers.find(([name]) => name === 'x-page')?.[1] ?? '';

describe('what fits no HMAC', () => {
  const { body, signature } = signedNotification('contact-updated');
  const flipped = Buffer.from(body);
  flipped[40]! ^= 1;
  const cases: [name: string, sent: SignedNotification, reason: Rejection['reason']][] = [
    ['no signature at all', { body, signature: 'none' }, 'no_signature'],
    ['a truncated one', { body, signature: signature.slice(0, 63) }, 'no_signature'],
    ['one with a digit too many', { body, signature: `${signature}0` }, 'no_signature'],
    [
      'one of another body',
      { body, signature: signedNotification('deal-updated').signature },
      'signature_mismatch',
    ],
    ['one wrong digit', { body, signature: wrongDigit(signature) }, 'signature_mismatch'],
    ['a body altered by one bit', { body: flipped, signature }, 'signature_mismatch'],
    ['a body cut by a byte', { body: body.subarray(0, -1), signature }, 'signature_mismatch'],
    [
      'a body with a byte more',
      { body: Buffer.concat([body, Buffer.from('\n')]), signature },
      'signature_mismatch',
    ],
  ];

  it('is refused and quarantined within a second, whole and with the reason', async () => {
    const before = await eventsStored();
    for (const [name, sent] of cases) {
      expectProblem(await board.notify(sent, { headers: [['x-case', name]] }), 401, 'bad_signature');
    }
    await until('the quarantine', async () => (await ofCase(cases.at(-1)![0])).length > 0, 3_000);
    for (const [name, sent, reason] of cases) {
      const found = await ofCase(name);
      expect(found.map((one) => ({ name, reason: one.reason, size: one.size_bytes }))).toEqual([
        { name, reason, size: sent.body.length },
      ]);
      expect(await rejectedBody(found[0]!.id)).toEqual(sent.body);
    }
    expect(await eventsStored()).toBe(before);
  });

  it('is refused without the signature header as well', async () => {
    const answer = await board.wire.send(board.hookPath, { method: 'POST', body });
    expectProblem(answer, 401, 'bad_signature');
  });

  it('is listed newest first, page by page, each once', async () => {
    const marks = Array.from({ length: 30 }, (_, i) => `page-${i}`);
    const sent = { body: Buffer.from('whatever'), signature: 'none' };
    const mark = (name: string) => board.notify(sent, { headers: [['x-page', name]] });
    await Promise.all(marks.map(mark));
    const all = async () => (await rejections()).map(markOf).filter((text) => text.startsWith('page-'));
    await until('all of them', async () => (await all()).length === marks.length);

    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await board.read(rejectionPage, `/rejections?limit=7${query}`);
      walked.push(...page.data.map(markOf));
      cursor = page.next_cursor;
    }
    expect(walked.filter((text) => text.startsWith('page-')).sort()).toEqual(marks.sort());
    expect(walked).toEqual((await rejections()).map(markOf));
  });

  it('is listed without its body and with so much of its headers, which is a download of its own', async () => {
    const sent = { body: Buffer.from([0, 255, ...Buffer.from('<script>')]), signature: 'none' };
    const long: [string, string] = ['x-long', 'a'.repeat(10_000)];
    const type: [string, string] = ['content-type', 'text/html'];
    await board.notify(sent, { headers: [['x-case', 'download'], type, long] });
    await until('the quarantine', async () => (await ofCase('download')).length > 0);
    const { id } = (await ofCase('download'))[0]!;
    const list = await board.ask('/rejections?limit=1');
    expect(list.text).not.toContain(sent.body.toString('base64').slice(0, 8));
    expect(list.text.length).toBeLessThan(6_000);

    const answer = await board.ask(`/rejections/${id}/body`);
    expect(answer.body).toEqual(sent.body);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${id}.body"`,
      'x-content-type-options': 'nosniff',
    });
    expectProblem(
      await board.ask('/rejections/rej_00000000000000000000000000/body'),
      404,
      'rejection_unknown',
    );
  });

  it('is bounded while it waits to be written: what comes first is kept, the others are counted', async () => {
    const before = await allRejections();
    const flood = Array.from({ length: 400 }, (_, i) =>
      board.notify({ body: Buffer.from(`flood-${i};`.padEnd(4_000)), signature: 'none' }),
    );
    const answers = await Promise.all(flood);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    let after = before;
    await until('all of the flood is kept or counted', async () => {
      after = await allRejections();
      return after.data.length - before.data.length + after.dropped - before.dropped === flood.length;
    });
    expect(after.dropped).toBeGreaterThan(before.dropped);
    const first = after.data.at(-1 - before.data.length)!;
    expect((await rejectedBody(first.id)).toString()).toMatch(/^flood-\d;/);
    expect(board.logged).toMatch(/"dropped":[1-9]\d*.*notifications quarantined/);
  });
});

describe('what is too large', () => {
  it.each([
    ['with its length said first', undefined],
    ['in pieces', 1_000],
  ])('is refused %s', async (_, chunkBytes) => {
    const body = Buffer.alloc(BODY_LIMIT_BYTES + 1, 'x');
    const headers: [string, string][] = [[SIGNATURE_HEADER, board.upstream.sign(board.webhook, body)]];
    const request = { method: 'POST', headers, body, ...(chunkBytes && { chunkBytes }) };
    expectProblem(await board.wire.send(board.hookPath, request), 413, 'too_large');
  });

  it('is accepted at the limit itself', async () => {
    const body = Buffer.alloc(BODY_LIMIT_BYTES, 'y');
    const answer = await board.notify({ body, signature: board.upstream.sign(board.webhook, body) });
    expect(answer).toMatchObject(accepted);
  });
});

describe('what is no notification', () => {
  it.each(['GET', 'PUT', 'DELETE'])('is refused: %s instead of POST', async (method) => {
    const answer = await board.wire.send(board.hookPath, { method });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers['allow']).toBe('POST');
  });

  it('leaves nothing behind when its sender goes away in the middle', async () => {
    const before = await board.read(stats, '/stats');
    const { body, signature } = board.sign('cut.short');
    const socket = connect(board.wire.port, '127.0.0.1');
    socket.write(
      `POST ${board.hookPath} HTTP/1.1\r\nhost: 127.0.0.1\r\n${SIGNATURE_HEADER}: ${signature}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.end(body.subarray(0, body.length - 1));
    await once(socket.resume(), 'close');
    const { received } = await board.read(stats, '/stats');
    expect(received).toEqual({ ...before.received, refused: before.received.refused + 1 });
  });
});

describe('the signature', () => {
  it.each([
    ['deal-updated', 'bare', (hex: string) => hex],
    ['deal-status-changed', 'sha256=…', (hex: string) => `sha256=${hex}`],
    ['task-completed', 't=…,v1=…', (hex: string) => `t=1763640000,v1=${hex}`],
    ['scenario-executed', 'in uppercase', (hex: string) => `sha256=${hex.toUpperCase()}`],
    ['agent-triggered', 'one of several', (hex: string) => `v1=${'0'.repeat(64)} v1=${hex}`],
  ])('is found in %s, written %s', async (name, _, write) => {
    const { body, signature } = signedNotification(name);
    expect(await board.notify({ body, signature: write(signature) })).toMatchObject(accepted);
  });

  it.each(['X-Hub-Signature-256', 'signature', 'authorization', 'x-' + 'a'.repeat(60), 'etag'])(
    'is found in a header of any name: %s',
    async (header) => {
      const answer = await board.notify(board.sign('any.header'), { header });
      expect(answer).toMatchObject(accepted);
      expect((await board.event(idOf(answer))).verification?.header).toBe(header.toLowerCase());
    },
  );

  it('is learned by its name, and a change of the name is told and accepted', async () => {
    const named = async () => {
      const { signature_header: now, signature_header_before: before } = await board.read(
        subscription,
        '/subscription',
      );
      return { now, before };
    };
    await board.notify(board.sign('header.learned'), { header: 'x-first-name' });
    await until('the first name', async () => (await named()).now === 'x-first-name');
    expect(await board.notify(board.sign('header.learned'), { header: 'x-second-name' })).toMatchObject(
      accepted,
    );
    await until('the second name', async () => (await named()).now === 'x-second-name');
    expect(await named()).toEqual({ now: 'x-second-name', before: 'x-first-name' });
    const told = async () => (await board.read(subscription, '/subscription')).drift[0];
    await until('the change to be told', async () => (await told())?.after === 'x-second-name');
    expect(await told()).toMatchObject({
      field: 'signature_header',
      before: 'x-first-name',
      outcome: 'accepted',
    });
  });

  it('is looked for among sixteen candidates and no more, the known header first', async () => {
    await board.notify(board.sign('header.known'), { header: 'x-known' });
    await until('the name', async () =>
      (await board.ask('/subscription')).text.includes('"signature_header":"x-known"'),
    );
    const send = (count: number, header: string) =>
      board.notify(board.sign('header.decoys'), { header, headers: decoys(count) });
    expect((await send(16, 'x-other')).status).toBe(401);
    expect((await send(16, 'x-known')).status).toBe(200);
    expect((await send(15, 'x-other')).status).toBe(200);
  });
});

it('is timed and counted', async () => {
  const { received, ack_ms } = await board.read(stats, '/stats');
  expect(received.accepted).toBeGreaterThan(20);
  expect(received.duplicate).toBeGreaterThanOrEqual(22);
  expect(received.rejected).toBeGreaterThan(400);
  // Two were too large, three no POST, and one broke off.
  expect(received.refused).toBe(6);
  expect(ack_ms!.p50).toBeGreaterThan(0);
  expect(ack_ms!.max).toBeGreaterThanOrEqual(ack_ms!.p99);
});

it('no key, secret or token gets into the log', async () => {
  const credentialed = await board.addTarget(
    'with credentials',
    `${everything.url}&token=query-of-the-target`,
    ['nothing.at.all'],
    { headers: [{ name: 'authorization', value: 'Basic pass-of-the-target', secret: true }] },
  );
  const link = await board.relay.makeLoginLink();
  const login = await board.wire.send(new URL(link).pathname + new URL(link).search);
  expect(login.headers['set-cookie']).toHaveLength(1);
  const issued = board.upstream.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
  const tokens = issued.filter((token) => token !== undefined);
  expect(tokens.length).toBeGreaterThan(0);
  const secrets = [
    board.hookPath.split('/').at(-1)!,
    WEBHOOK_SECRET,
    board.adminToken,
    board.upstream.clientSecret,
    ...tokens,
    credentialed.secret,
    'pass-of-the-target',
    'query-of-the-target',
    new URL(link).searchParams.get('token')!,
    login.headers['set-cookie']![0]!.split(/[=;]/)[1]!,
  ];
  expect(board.logged.length).toBeGreaterThan(1_000);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(12);
    expect(board.logged.includes(secret)).toBe(false);
  }
});

function decoys(count: number): [string, string][] {
  return Array.from({ length: count }, (_, i) => [`x-decoy-${i}`, i.toString(16).padStart(64, '0')]);
}

function wrongDigit(signature: string): string {
  return (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
}
