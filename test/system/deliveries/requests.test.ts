import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testOutcome } from '../../../src/contract/target-test';
import { assertSigned } from '../../support/assert-signed';
import { Switchboard } from '../../support/daemon/switchboard';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { useReceivers } from '../../support/fakes/receivers';
import { signedNotification } from '../../support/signed-notification';
import { until } from '../../support/until';

const SECOND = 1_000;
const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await switchboard.end();
});

describe('a request to a target', () => {
  it.each([
    ['contact-updated', 'application/json; charset=utf-8'],
    ['not-utf8', 'application/x-odd; name="\u00e9"'],
    ['not-json', 'nonsense'],
    ['empty', null],
  ])('has the bytes of %s and their content type unchanged', async (name, contentType) => {
    const receiver = await startReceiver();
    const created = await switchboard.addTarget(`bytes of ${name}`, receiver.url, ['*']);
    const notification = signedNotification(name);
    const { json } = await switchboard.notify(notification, { contentType });
    const { id } = json as { id: string };
    await until('the request arrives', () => receiver.of(id).length === 1);
    const [hit] = receiver.of(id);
    expect(hit!.method).toBe('POST');
    expect(hit!.path).toBe('/events?from=switchboard');
    expect(hit!.body).toEqual(notification.body);
    expect(hit!.headers['content-type']).toBe(contentType ?? 'application/octet-stream');
    await switchboard.removeTarget(created);
  });

  it('has the documented headers and no others', async () => {
    const receiver = await startReceiver();
    const { secret } = await switchboard.addTarget('headers', receiver.url, ['headers.*']);
    const before = Math.floor(Date.now() / SECOND);
    const notification = switchboard.sign('headers.shown');
    const { json } = await switchboard.notify(notification, {
      headers: [['x-of-upstream', 'not passed on']],
    });
    const { id } = json as { id: string };
    await until('the request arrives', () => receiver.of(id).length === 1);
    const [hit] = receiver.of(id);
    const { headers } = hit!;
    const { deliveries } = await switchboard.event(id);
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': String(notification.body.length),
      'content-type': 'application/json',
      'user-agent': `Switchboard/${version}`,
      'webhook-id': id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      [SIGNATURE_HEADER]: notification.signature,
      'switchboard-event-type': 'headers.shown',
      'switchboard-delivery': deliveries.find(({ target_name }) => target_name === 'headers')!.id,
      'switchboard-attempt': '1',
      'switchboard-trigger': 'live',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    expect(Number(headers['webhook-timestamp'])).toBeGreaterThanOrEqual(before);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    assertSigned(secret, hit!);
    expect(() => assertSigned(secret, { ...hit!, body: Buffer.from('altered') })).toThrow();
  });

  it.each([
    ['x-any-name', 'x-any-name'],
    ['authorization', 'switchboard-upstream-signature'],
    ['webhook-signature', 'switchboard-upstream-signature'],
    ['switchboard-trigger', 'switchboard-upstream-signature'],
    ['traceparent', 'switchboard-upstream-signature'],
    ['user-agent', 'switchboard-upstream-signature'],
    ['te', 'switchboard-upstream-signature'],
  ])('forwards a signature in %s as %s', async (header, passedOn) => {
    const receiver = await startReceiver();
    const type = `signed.${header}`;
    const { id: targetId, secret } = await switchboard.addTarget(type, receiver.url, [type]);
    const notification = switchboard.sign(type);
    const value = `sha256=${notification.signature}`;
    const { json } = await switchboard.notify({ ...notification, signature: value }, { header });
    const { id } = json as { id: string };
    await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
    const [hit] = receiver.of(id);
    expect(hit!.headers[passedOn]).toBe(value);
    expect(Object.values(hit!.headers).filter((one) => one === value)).toHaveLength(1);
    assertSigned(secret, hit!);
  });

  it('has an event type that is invalid in a header percent-encoded', async () => {
    const receiver = await startReceiver();
    const created = await switchboard.addTarget('encoded', receiver.url, ['*']);
    const { json } = await switchboard.notify(signedNotification('emoji-type'));
    const { id } = json as { id: string };
    await until('the request arrives', () => receiver.of(id).length === 1);
    expect(receiver.of(id)[0]!.headers['switchboard-event-type']).toBe('deal.%F0%9F%98%80%20%C3%BC');
    const half = await switchboard.emit('deal.\ud83d');
    await until('the request arrives', () => receiver.of(half).length === 1);
    await switchboard.removeTarget(created);
  });

  it('is sent as a sample when a target is tested; the outcome is returned and nothing stored', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(418).end('short and stout'));
    const { id, secret } = await switchboard.addTarget('tested', receiver.url, ['tested.*']);
    const stored = async () => (await switchboard.ask('/events?type=deal.created')).json;
    const before = await stored();
    const outcome = await switchboard.read(testOutcome, `/targets/${id}/test`, { method: 'POST' });
    expect(outcome).toMatchObject({
      delivered: false,
      status: 418,
      error: 'http_status',
      excerpt: 'short and stout',
    });
    expect(receiver.hits).toHaveLength(1);
    expect(receiver.hits[0]!.headers).toMatchObject({
      'switchboard-trigger': 'test',
      'switchboard-attempt': '1',
    });
    assertSigned(secret, receiver.hits[0]!);
    expect(JSON.parse(receiver.hits[0]!.body.toString())).toMatchObject({
      event: 'deal.created',
      webhook_id: 'wh_0',
    });
    expect(await stored()).toEqual(before);
  });
});
