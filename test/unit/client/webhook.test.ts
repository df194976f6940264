import { createHmac } from 'node:crypto';
import { verify, type VerifyOptions } from '../../../src/client/webhook';
import { publicKeyText, signWithEd25519 } from '../../../src/relay/targets/ed25519';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const OLD = secretOf(1);
const NEW = secretOf(2);
const keyOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');
// Not even UTF-8.
const BODY = Buffer.concat([Buffer.from('{"event":"deal.created","data":{}}'), Buffer.from([0xff])]);

/** The headers of a delivery, signed with these secrets. */
function headersOf(body: Buffer, secrets: string[], ageS = 0): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageS);
  const content = Buffer.concat([Buffer.from(`evt_1.${timestamp}.`), body]);
  const signatures = secrets.flatMap((secret) => [
    `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`,
    `v1a,${signWithEd25519(keyOf(secret), content)}`,
  ]);
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

const outcome = (
  headers: Record<string, string>,
  body: Buffer,
  secrets: string | string[],
  options?: VerifyOptions,
) =>
  verify(headers, body, secrets, options).then(
    ({ id }) => id,
    (error: { code?: string }) => error.code,
  );

describe('a delivery is genuine', () => {
  it.each([
    ['its secret', OLD],
    ['one of several secrets', [OLD, NEW]],
    ['the public key of its target', publicKeyText(keyOf(OLD))],
  ])('by %s, also while two secrets sign, whatever its bytes are', async (_, secrets) => {
    expect(await outcome(headersOf(BODY, [NEW, OLD]), BODY, secrets)).toBe('evt_1');
    expect(await outcome(headersOf(BODY, [OLD]), BODY, secrets)).toBe('evt_1');
  });

  it('with the headers of fetch, and its payload is that of the body', async () => {
    const body = Buffer.from('{"event":"deal.created"}');
    const { payload, timestamp } = await verify(new Headers(headersOf(body, [OLD])), String(body), OLD);
    expect(payload).toEqual({ event: 'deal.created' });
    expect(Math.abs(timestamp - Date.now() / 1_000)).toBeLessThan(300);
  });

  it('and is known to be repeated, once its id was seen', async () => {
    const ids = new Set<string>();
    const seen = { add: async (id: string) => !ids.has(id) && Boolean(ids.add(id)) };
    const isRepeated = async () => (await verify(headersOf(BODY, [OLD]), BODY, OLD, { seen })).isRepeated;
    expect([await isRepeated(), await isRepeated()]).toEqual([false, true]);
  });
});

it('a request with another signature, content or age is rejected, and its id is not remembered', async () => {
  const add = jest.fn(() => true);
  const good = headersOf(BODY, [OLD]);
  const other = Buffer.from('{}');
  const cases: [code: string, headers: Record<string, string>, body?: Buffer, secret?: string][] = [
    ['signature_mismatch', good, other],
    ['signature_mismatch', good, BODY, NEW],
    ['signature_mismatch', good, BODY, publicKeyText(keyOf(NEW))],
    ['signature_mismatch', { ...good, 'webhook-id': 'evt_2' }],
    ['signature_mismatch', { ...good, 'webhook-signature': 'v1,x v1 v1a,_' }],
    ['timestamp_out_of_range', headersOf(BODY, [OLD], 400)],
    ['timestamp_out_of_range', headersOf(BODY, [OLD], -400)],
    ['header_missing', { ...good, 'webhook-timestamp': 'now' }],
    ['header_missing', { ...good, 'webhook-signature': '' }],
  ];
  for (const [code, headers, body = BODY, secret = OLD] of cases)
    expect(await outcome(headers, body, secret, { seen: { add } })).toBe(code);
  expect(add).not.toHaveBeenCalled();
});
