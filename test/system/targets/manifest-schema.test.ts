import Ajv from 'ajv/dist/2020';
import { receiver, switchboard, useHub } from './hub';

useHub();

type Entry = Record<string, unknown>;

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** Values of fields of a target, those that are accepted first. */
const VALUES: Record<string, [good: unknown[], bad: unknown[]]> = {
  name: [
    ['a', 'ä'.repeat(80), 'a b', '🙂'],
    ['', 'a=b', 'a,b', 'a'.repeat(81), 1, null],
  ],
  renamed_from: [['b'], ['', 'x=y', 3, null]],
  url: [
    ['http://127.0.0.1:9/', 'https://hooks.example/a?b=c'],
    ['', 'ftp://a.example/', 'a.example', 7, null],
  ],
  events: [
    [['*'], ['deal.*', 'task.done']],
    [[], 'deal.*', [''], ['a b'], [1], null, Array(51).fill('*')],
  ],
  filter: [
    [null, { 'data.id': 4 }, { $or: [{ a: 1 }] }],
    [{}, '{}', [], 4, true],
  ],
  enabled: [
    [true, false],
    ['true', 1, null],
  ],
  headers: [
    [[], [{ name: 'X-A', value: 'b' }], [{ name: 'x-a', value: 'b', secret: true }]],
    [
      {},
      [{ value: 'b' }],
      [{ name: 'a b', value: 'c' }],
      [{ name: 'a', value: '' }],
      [{ name: 'a', value: ' b' }],
      [{ name: 'a', value: 'ü' }],
      [{ name: 'a', value: 'b', secret: 'yes' }],
      [{ name: 'a', value: 'b', kind: 'c' }],
      [{ name: 'a', value: 'b'.repeat(4_001) }],
      Array.from({ length: 21 }, (_, i) => ({ name: `a${i}`, value: 'b' })),
    ],
  ],
  signature: [
    [null, { header: 'X-Hub-Signature-256', form: 'sha256={hex}' }],
    [{}, { header: 'a b', form: '{hex}' }, { header: 'a', form: 'md5' }, 'sha256={hex}'],
  ],
  ed25519: [
    [true, false],
    ['true', null],
  ],
  transform: [
    [null, { expression: 'data' }, { expression: '1', content_type: 'text/plain', on_error: 'pause' }],
    [{}, { expression: '' }, { expression: '1', on_error: 'retry' }, { expression: '1', version: 1 }, '1'],
  ],
  tls: [
    [null, {}, { verify: false }, { ca: null }],
    [{ ca: 'none' }, { verify: 1 }, { unknown: 1 }, { cert: 4 }, { key: 'none' }, 'none'],
  ],
  secret: [
    [24, 25, 26, 63, 64].map((size) => `whsec_${Buffer.alloc(size, 5).toString('base64')}`),
    [
      ...[0, 23, 65, 66].map((size) => `whsec_${Buffer.alloc(size, 5).toString('base64')}`),
      SECRET.slice(6),
      `${SECRET}=`,
      SECRET.replace('B', '-'),
      `${SECRET}\n`,
      5,
      null,
    ],
  ],
  format: [
    ['slack', 'text', 'ntfy', 'discord', 'teams'],
    ['json', 'smoke', '', null],
  ],
};

const POLICIES: Record<string, [good: unknown[], bad: unknown[]]> = {
  ordering: [
    ['none', 'entity', 'strict'],
    ['some', '', 1],
  ],
  on_dead: [['continue', 'stop'], ['go']],
  timeout_ms: [
    [1_000, 60_000],
    [999, 60_001, 1_000.5, '1000', null],
  ],
  concurrency: [
    [1, 16],
    [0, 1.5, '4'],
  ],
  rate: [
    [null, { limit: 1, per: 'minute' }],
    [{ limit: 1 }, { limit: 0, per: 'second' }, 5],
  ],
  success: [
    [['2xx'], [204, '3xx']],
    [[], ['6xx'], [600], '2xx'],
  ],
  retry: [
    [{ delays_s: [] }, { delays_s: [1, 2.5] }, { attempts: 3, first_s: 1, factor: 2, cap_s: 60 }],
    [{}, { delays_s: ['1'] }, { delays_s: [-1] }, { attempts: 3 }, 5],
  ],
  jitter: [
    [0, 0.5],
    [-0.1, 1.1, '0'],
  ],
  max_age_s: [[60], [59, '60']],
  retry_on: [[{ network: true, statuses: [] }], [{ network: true }, { network: 1, statuses: [] }]],
  retry_after_cap_s: [[0], [-1]],
  breaker: [
    [null, { failures: 1, first_probe_s: 1, cap_s: 1 }],
    [{ failures: 1 }, {}, 'none'],
  ],
  duplicates: [['hold', 'deliver'], ['drop']],
  synthetic: [['deliver', 'skip'], ['drop']],
  unknown: [[], [1]],
};

const entryWith = (more: Entry): Entry => ({ name: 'one', url: receiver.url, ...more });

/** A manifest for each value of each field. */
function manifests(): { whole: object; isGood: boolean }[] {
  const each = (values: typeof VALUES, build: (field: string, value: unknown) => object) =>
    Object.entries(values).flatMap(([field, [good, bad]]) =>
      [...good, ...bad].map((value, i) => ({ whole: build(field, value), isGood: i < good.length })),
    );
  const { format, ...ofTargets } = VALUES;
  // Messages are neither signed nor transformed.
  const { events: _, signature: __, ed25519: ___, transform: ____, ...ofAlerts } = VALUES;
  return [
    ...each(ofTargets, (field, value) => ({ targets: [entryWith({ [field]: value })] })),
    ...each(ofAlerts, (field, value) => ({ alerts: [entryWith({ format: 'text', [field]: value })] })),
    ...each(POLICIES, (field, value) => ({ targets: [entryWith({ policy: { [field]: value } })] })),
    ...each({ format: format! }, (_field, value) => ({ alerts: [entryWith({ format: value })] })),
    { whole: { targets: [entryWith({ format: 'json' })] }, isGood: false },
    { whole: { alerts: [entryWith({})] }, isGood: false },
    { whole: { targets: [entryWith({ urll: 'http://a.example' })] }, isGood: false },
    { whole: { targets: [{ name: 'one' }] }, isGood: false },
    { whole: { targets: {} }, isGood: false },
    { whole: { targets: null }, isGood: false },
    { whole: { target: [] }, isGood: false },
    { whole: {}, isGood: true },
  ];
}

it('the schema judges manifests as the hub does', async () => {
  const { status, json } = await switchboard.wire.send('/api/v1/schemas/switchboard.json');
  expect(status).toBe(200);
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(json as object);
  const all = manifests();
  expect(all.length).toBeGreaterThan(200);
  for (const { whole, isGood } of all) {
    const answer = await switchboard.ask('/manifests/judged/apply', {
      method: 'POST',
      json: { ...whole, dry_run: true },
    });
    const verdicts = { hub: answer.status === 200, schema: validate({ version: 1, ...whole }) };
    expect({ whole, ...verdicts, answer: answer.text }).toEqual({
      whole,
      hub: isGood,
      schema: isGood,
      answer: answer.text,
    });
  }
});

it('the schema accepts a variable in place of any text', async () => {
  const { json } = await switchboard.wire.send('/api/v1/schemas/switchboard.json');
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(json as object);
  const headers = [{ name: 'authorization', value: 'Bearer ${TOKEN}', secret: true }];
  const entry = { name: 'one', url: '${URL}', secret: '${SECRET}', headers };
  expect(validate({ version: 1, targets: [entry] })).toBe(true);
  expect(validate({ version: 1, targets: [{ ...entry, secret: 'written' }] })).toBe(false);
  expect(validate({ version: 2, targets: [entry] })).toBe(false);
});
