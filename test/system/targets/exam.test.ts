import { createHmac, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { target as targetSchema, type TargetCreated } from '../../../src/contract/target';
import { EXAM_CASES, targetExam } from '../../../src/contract/target-exam';
import { reset, type Hit } from '../../support/fakes/recording-target';
import { askWith, makeToken } from '../access/token-fixture';
import { receiver, switchboard, useHub } from './hub';

const DOCUMENT = readFileSync(join(__dirname, '../../../docs/receivers.md'), 'utf8');
const HEADER = 'x-hub-signature-256';

useHub();

beforeEach(() => {
  receiver.hits.length = 0;
});

let added = 0;
const add = (more: object = {}) =>
  switchboard.addTarget(`examined ${(added += 1)}`, receiver.url, ['never.*'], more);

const path = (id: string) => `/targets/${id}/exam`;

const examine = async ({ id }: Pick<TargetCreated, 'id'>) => {
  const exam = await switchboard.read(targetExam, path(id), { method: 'POST' });
  expect(exam.results.map(({ case: name }) => name)).toEqual(EXAM_CASES);
  expect(exam.passed).toBe(exam.results.every(({ passed }) => passed));
  return exam.results;
};

const passedOf = (results: readonly { passed: boolean }[]) => results.map(({ passed }) => passed);

const isVerified = (secret: string, { headers, body }: Hit): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

const hasBodySignature = (secret: string, { headers, body }: Hit): boolean =>
  headers[HEADER] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function hasEd25519(publicKey: string, { headers, body }: Hit): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signature = String(headers['webhook-signature']).split('v1a,')[1] ?? '';
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].map(String).join('.');
  return verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'));
}

it('a receiver that verifies passes an exam, in which each invalid request breaks every signature', async () => {
  const made = await add({ signature: { header: HEADER, form: 'sha256={hex}' }, ed25519: true });
  const { id, secret } = made;
  const before = await switchboard.read(targetSchema, `/targets/${id}`);
  receiver.respondWith((response, hit) => response.writeHead(isVerified(secret, hit) ? 204 : 401).end());
  expect(passedOf(await examine(made))).toEqual(Array(6).fill(true));

  const checked = receiver.hits.map((hit) => [
    isVerified(secret, hit),
    hasBodySignature(secret, hit),
    hasEd25519(made.public_key!, hit),
  ]);
  const valid = [true, true, true];
  const invalid = [false, false, false];
  // Its signatures are valid, and old.
  const old = [false, true, true];
  expect(checked).toEqual([valid, valid, invalid, invalid, old, invalid]);
  const [first, second, third] = receiver.hits;
  expect(second!.body).toEqual(first!.body);
  const ids = receiver.hits.map(({ headers }) => headers['webhook-id']);
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids).size).toBe(5);
  expect(JSON.parse(third!.body.toString())).toMatchObject({ data: { name: 'Test from someone else' } });
  expect(new Set(receiver.hits.map(({ headers }) => headers['switchboard-trigger']))).toEqual(
    new Set(['test']),
  );

  expect(await switchboard.read(targetSchema, `/targets/${id}`)).toEqual(before);
  const [entry] = (await switchboard.read(pageOf(auditEntry), `/audit?subject=${id}`)).data;
  expect(entry).toMatchObject({ action: 'target.exam', fields: [], secret_shown: false });
});

it('a receiver that accepts everything fails exactly the invalid requests, and is told what helps', async () => {
  receiver.respondWith(200);
  const made = await add({ enabled: false, signature: { header: HEADER, form: '{hex}' } });
  await switchboard.ask(`/targets/${made.id}/pause`, { method: 'POST' });
  const results = await examine(made);
  expect(passedOf(results)).toEqual([true, true, false, false, false, false]);
  expect(results[5]).toMatchObject({
    status: 200,
    sentence: 'Accepted with HTTP 200, although it had no signature: reject what has none.',
  });
  expect(results[4]!.sentence).toContain(`since ${HEADER} has no time`);
  const headings = Array.from(DOCUMENT.matchAll(/^##+ (.*)$/gm), ([, heading]) =>
    heading!.toLowerCase().replaceAll(' ', '-'),
  );
  for (const { section } of results) expect(headings).toContain(section.split('#')[1]);
});

it.each([
  [302, false],
  [410, true],
  [429, false],
  [500, false],
])(
  'the status %d to everything is a rejection: %j, and the target stays active',
  async (status, isRejection) => {
    receiver.respondWith(status);
    const breaker = { failures: 1, first_probe_s: 1, cap_s: 1 };
    const made = await add({ policy: { breaker, retry: { delays_s: [] } } });
    const before = await switchboard.read(targetSchema, `/targets/${made.id}`);
    const rejected = Array(4).fill(isRejection);
    expect(passedOf(await examine(made))).toEqual([false, false, ...rejected]);
    expect(await switchboard.read(targetSchema, `/targets/${made.id}`)).toEqual(before);
  },
);

it('what counts as delivered for the target is accepted', async () => {
  receiver.respondWith(401);
  expect(passedOf(await examine(await add({ policy: { success: [401] } })))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

it('a receiver without a response is sent nothing more', async () => {
  receiver.respondWith(reset);
  const results = await examine(await add());
  expect(results.map(({ status }) => status)).toEqual(Array(6).fill(null));
  expect(results.map(({ duration_ms: ms }) => ms !== null)).toEqual([true, ...Array(5).fill(false)]);
  expect(results[0]!.sentence).toMatch(/^No response: Connection reset\./);
  expect(receiver.hits).toHaveLength(1);
});

it('is refused for messages, for a listener that is offline, and without the scope', async () => {
  const slack = await add({ format: 'slack', events: ['relay.*'] });
  const listener = await switchboard.ask('/targets', {
    method: 'POST',
    json: { name: 'laptop', kind: 'listener', events: ['never.*'] },
  });
  const codeOf = async (id: string) => (await switchboard.ask(path(id), { method: 'POST' })).json;
  expect(await codeOf(slack.id)).toMatchObject({ status: 409, code: 'target_not_json' });
  expect(await codeOf((listener.json as TargetCreated).id)).toMatchObject({ code: 'listener_offline' });
  const { secret } = await makeToken(switchboard, ['read']);
  const denied = await askWith(switchboard, secret, `/api/v1${path(slack.id)}`, { method: 'POST' });
  expect(denied.json).toMatchObject({ status: 403, code: 'scope_missing' });
  expect(receiver.hits).toEqual([]);
});
