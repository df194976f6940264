import { filterPreview } from '../../../src/contract/filter';
import { replayPreview } from '../../../src/contract/replay';
import { stats } from '../../../src/contract/stats';
import { signedNotification, WEBHOOK_SECRET } from '../../support/signed-notification';
import { until } from '../../support/until';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import {
  BODY_LIMIT_BYTES,
  accepted,
  eventsStored,
  everything,
  expectProblem,
  idOf,
  patterns,
  rejections,
  switchboard,
  untilReceived,
  useHub,
  useTargets,
} from './hub';

useHub();
useTargets();

const storedBody = async (id: string) => (await switchboard.ask(`/events/${id}/body`)).body;

it('notifications are signed with the registered secret', () => {
  expect(switchboard.webhook.secret).toBe(WEBHOOK_SECRET);
});

describe('a signed notification', () => {
  it('is stored byte for byte and answered with 200', async () => {
    const notification = signedNotification('deal-created');
    const response = await switchboard.notify(notification);
    expect(response).toMatchObject(accepted);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(await storedBody(idOf(response))).toEqual(notification.body);
    expect(await switchboard.event(idOf(response))).toMatchObject({
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

  it('is stored with all headers except possible credentials', async () => {
    const credentials: [string, string][] = [
      ['Authorization', 'Basic c29tZWJvZHk6c2VjcmV0'],
      ['Cookie', 'a=1'],
      ['Proxy-Authorization', 'Basic c29tZWJvZHk='],
    ];
    const headers: [string, string][] = [...credentials, ['X-Twice', 'one'], ['X-Twice', 'two']];
    const { headers: stored } = await switchboard.event(
      idOf(await switchboard.notify(switchboard.sign('headers.kept'), { headers })),
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
    'is stored and delivered even if its type is unknown: %s',
    async (name) => {
      const notification = signedNotification(name);
      const id = idOf(await switchboard.notify(notification));
      const { event } = JSON.parse(notification.body.toString()) as { event: string };
      expect(await switchboard.event(id)).toMatchObject({ type: event, unreadable: null });
      await untilReceived(everything, id);
      await untilReceived(patterns, id);
    },
  );

  it.each([null, 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', ';;;', '', 'a/b; c="'])(
    'is stored whatever its content type: %j',
    async (contentType) => {
      const notification = switchboard.sign('content.type');
      const response = await switchboard.notify(notification, { contentType });
      expect(response).toMatchObject(accepted);
      expect(await storedBody(idOf(response))).toEqual(notification.body);
    },
  );

  it('is stored when sent in chunks, without a length', async () => {
    const { body, signature } = signedNotification('deal-deleted');
    const headers: [string, string][] = [[SIGNATURE_HEADER, signature]];
    const response = await switchboard.wire.send(switchboard.hookPath, {
      method: 'POST',
      headers,
      body,
      chunkBytes: 100,
    });
    expect(response).toMatchObject(accepted);
    expect(await storedBody(idOf(response))).toEqual(body);
  });

  it.each([
    ['not-utf8', /UTF-8/],
    ['not-json', /JSON/],
    ['json-array', /JSON object/],
    ['empty', /JSON/],
    ['without-event', /event/],
  ])(
    'that is unreadable is accepted, flagged, and delivered only to targets for all events: %s',
    async (name, why) => {
      const notification = signedNotification(name);
      const response = await switchboard.notify(notification);
      expect(response).toMatchObject(accepted);
      const id = idOf(response);
      expect(await storedBody(id)).toEqual(notification.body);
      await untilReceived(everything, id);
      expect(everything.of(id)[0]!.body).toEqual(notification.body);
      const event = await switchboard.event(id);
      expect(event.unreadable).toMatch(why);
      expect(event.deliveries.map(({ target_name }) => target_name)).toEqual(['everything']);
    },
  );

  it.each(['timestamp', 'webhook_id', 'data'])(
    'without the field %s is accepted, flagged, and delivered by its type',
    async (field) => {
      const notification = signedNotification(`without-${field.replace('_', '-')}`);
      const id = idOf(await switchboard.notify(notification));
      await untilReceived(patterns, id);
      expect(patterns.of(id)[0]!.body).toEqual(notification.body);
      const event = await switchboard.event(id);
      expect(event).toMatchObject({
        type: JSON.parse(notification.body.toString()).event,
        unreadable: `The field ${field} is missing.`,
      });
      expect(event.deliveries).toHaveLength(2);

      const selection = { events: [event.type], filter: { event: event.type, [field]: { $exists: false } } };
      const preview = await switchboard.read(filterPreview, '/targets/preview', {
        method: 'POST',
        json: selection,
      });
      expect(preview.data.map((found) => found.id)).toContain(id);
      const filter = { types: [event.type], payload: selection.filter };
      const replay = await switchboard.read(replayPreview, '/replays/preview', {
        method: 'POST',
        json: { filter },
      });
      expect(replay.events).toBe(preview.matched);
      const exported = await switchboard.ask(`/events/export?type=${event.type}`);
      const line = exported.text.split('\n').find((one) => one.includes(id));
      expect(JSON.parse(line!).body).toEqual(JSON.parse(notification.body.toString()));
    },
  );
});

describe('an unknown key', () => {
  it('is answered with 404, whatever is sent, and nothing is stored', async () => {
    const before = await eventsStored();
    const rejectionsBefore = (await rejections()).length;
    const notification = signedNotification('deal-updated');
    const { hookPath } = switchboard;
    for (const path of [
      '/hooks/unknown',
      `${hookPath}x`,
      hookPath.slice(0, -1),
      hookPath.replace(/[a-z](?=[^/]*$)/, 'A'),
    ]) {
      expectProblem(await switchboard.notify(notification, { path }), 404, 'unknown_key');
      expectProblem(
        await switchboard.notify({ ...notification, signature: 'wrong' }, { path }),
        404,
        'unknown_key',
      );
    }
    const large = { ...notification, body: Buffer.alloc(BODY_LIMIT_BYTES + 1) };
    expectProblem(await switchboard.notify(large, { path: '/hooks/unknown' }), 404, 'unknown_key');

    // Once this one is quarantined, anything rejected before it would be, too.
    await switchboard.notify({ body: Buffer.from('sent last'), signature: 'none' });
    await until('the last one is quarantined', async () => (await rejections()).length > rejectionsBefore);
    expect(await rejections()).toHaveLength(rejectionsBefore + 1);
    expect(await eventsStored()).toBe(before);
  });
});

it('accepted notifications are timed and counted', async () => {
  const { received, ack_ms } = await switchboard.read(stats, '/stats');
  expect(received.accepted).toBeGreaterThan(15);
  expect(ack_ms!.p50).toBeGreaterThan(0);
  expect(ack_ms!.max).toBeGreaterThanOrEqual(ack_ms!.p99);
});

it('the log contains no key, secret or token', async () => {
  const credentialed = await switchboard.addTarget(
    'with credentials',
    `${everything.url}&token=query-of-the-target`,
    ['nothing.at.all'],
    { headers: [{ name: 'authorization', value: 'Basic pass-of-the-target', secret: true }] },
  );
  const link = await switchboard.relay.makeLoginLink();
  const login = await switchboard.wire.send(new URL(link).pathname + new URL(link).search);
  expect(login.headers['set-cookie']).toHaveLength(1);
  const usedTokens = switchboard.upstream.requests.map(({ headers }) =>
    headers.authorization?.replace('Bearer ', ''),
  );
  const tokens = usedTokens.filter((token) => token !== undefined);
  expect(tokens.length).toBeGreaterThan(0);
  const secrets = [
    switchboard.hookPath.split('/').at(-1)!,
    WEBHOOK_SECRET,
    switchboard.adminToken,
    switchboard.upstream.clientSecret,
    ...tokens,
    credentialed.secret,
    'pass-of-the-target',
    'query-of-the-target',
    new URL(link).searchParams.get('token')!,
    login.headers['set-cookie']![0]!.split(/[=;]/)[1]!,
  ];
  expect(switchboard.logged.length).toBeGreaterThan(1_000);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(12);
    expect(switchboard.logged.includes(secret)).toBe(false);
  }
});
