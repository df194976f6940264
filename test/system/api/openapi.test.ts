import { PROBLEM_CODES } from '../../../src/contract/problem-codes';
import { DescribedApi, type ApiDocument, type Schema } from '../../support/api/described-api';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;
let document: ApiDocument;
let api: DescribedApi;

beforeAll(async () => {
  switchboard = await Switchboard.start();
  document = (await switchboard.ask('/openapi.json')).json as ApiDocument;
  api = new DescribedApi(document);
});
afterAll(() => switchboard.end());

/** Each object within a value, including the value itself, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<[path: string, found: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${path}/${name}`);
}

/** Whether a schema says what its values mean, itself or where it refers to. */
function isDescribed({ description, $ref, anyOf = [] }: Schema): boolean {
  if (description !== undefined) return true;
  const referred = $ref === undefined ? undefined : document.components.schemas[$ref.split('/').at(-1)!];
  return referred === undefined ? (anyOf as Schema[]).some(isDescribed) : isDescribed(referred);
}

/** Whether the document allows a POST. */
const allows = (path: string, json?: object) =>
  api.allows({
    method: 'POST',
    path: `/api/v1${path}`,
    ...(json && { contentType: 'application/json', body: JSON.stringify(json) }),
  });

describe('the OpenAPI document', () => {
  it('has version 3.1, and the URL of the server', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.servers).toEqual([{ url: switchboard.relay.url }]);
  });

  it('has a unique verb and noun as the id of each operation, a short summary, and one of 15 tags', () => {
    const names = api.operations.map(({ operation }) => operation.operationId);
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['listEvents', 'getEvent', 'createTarget', 'pauseReplay']));
    expect(document.tags).toHaveLength(15);
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of api.operations) {
      expect(operation.summary.length).toBeLessThanOrEqual(60);
      expect(tags).toEqual(expect.arrayContaining(operation.tags));
    }
  });

  it('describes every operation, parameter, schema and property', () => {
    const operations = api.operations.flatMap(
      ({ operation: { operationId, description, parameters = [] } }) => [
        ...(/\w\. An|\w\. It is open|\w\. Any/.test(description) ? [] : [operationId]),
        ...parameters.filter((one) => !one.description).map(({ name }) => `${operationId}: ${name}`),
      ],
    );
    expect(operations).toEqual([]);
    const properties = [...objectsIn(document.components.schemas)].flatMap(
      ([path, { properties: found = {} }]) =>
        Object.entries(found as Record<string, Schema>).map(
          ([name, schema]) => [`${path}.${name}`, schema] as const,
        ),
    );
    expect(properties.length).toBeGreaterThan(500);
    const all = [...Object.entries(document.components.schemas), ...properties];
    expect(all.filter(([, schema]) => !isDescribed(schema)).map(([path]) => path)).toEqual([]);
  });

  it('declares the codes of each problem, and names each code of the API', () => {
    const { responses } = document.components;
    const declared = Object.values(responses).flatMap(
      ({ content }) =>
        (content!['application/problem+json']!.schema as { properties: { code: { enum: string[] } } })
          .properties.code.enum,
    );
    expect(Object.keys(PROBLEM_CODES)).toEqual(expect.arrayContaining(declared));
    for (const { operation } of api.operations)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '503']));
  });

  it('names the schemas of requests and responses', () => {
    const inline = api.operations.flatMap(({ operation: { operationId, requestBody, responses } }) => {
      const contents = [
        requestBody?.content ?? {},
        ...Object.values(responses).map(({ content = {} }) => content),
      ];
      const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema));
      return schemas
        .filter((schema) => schema !== undefined && schema.$ref === undefined)
        .map(() => operationId);
    });
    expect(inline).toEqual([]);
    const { schemas } = document.components;
    expect(schemas).toHaveProperty(
      'EventDetail.properties.deliveries.items.$ref',
      '#/components/schemas/DeliveryDetail',
    );
    expect(schemas).toHaveProperty(
      'DeliveryPage.properties.data.items.$ref',
      '#/components/schemas/Delivery',
    );
  });

  it('has schemas that are valid, current JSON Schema, and no dangling references', () => {
    for (const name of Object.keys(document.components.schemas))
      expect(() => api.errorsOf({ $ref: `#/components/schemas/${name}` }, null)).not.toThrow();
    const references = [...objectsIn(document)].flatMap(([, { $ref }]) =>
      typeof $ref === 'string' ? [$ref] : [],
    );
    const defined = Object.entries(document.components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => !defined.includes(reference))).toEqual([]);
    // Keywords of OpenAPI 3.0 that JSON Schema does not have.
    expect([...objectsIn(document.components)].filter(([, schema]) => schema['nullable'] === true)).toEqual(
      [],
    );
  });

  it('has request schemas that generators understand: no unknown fields, no defaults, null as a type', () => {
    const found = [...objectsIn(document.components.schemas)];
    expect(document.components.schemas['TargetCreate']).toMatchObject({
      additionalProperties: false,
      required: ['name'],
    });
    expect(found.filter(([, schema]) => 'default' in schema && 'type' in schema)).toEqual([]);
    expect(found.filter(([, { format }]) => format === 'int64')).toEqual([]);
    expect(document.components.schemas).toHaveProperty('EventSummary.properties.entity.type', [
      'string',
      'null',
    ]);
  });

  it('has what generators for other languages know: no lists of types, no schemas that are false, each name once', () => {
    const found = [...objectsIn(document)].map(([, schema]) => schema);
    expect(found.filter(({ type }) => Array.isArray(type) && type.length > 2)).toEqual([]);
    expect(found.filter(({ items }) => items === false)).toEqual([]);
    // They take one of the alternatives for all that the schema has.
    expect(found.filter(({ properties, anyOf, type }) => properties && anyOf && type)).toEqual([]);
    const { schemas, responses } = document.components;
    expect(Object.keys(responses).filter((name) => name in schemas)).toEqual([]);
    // An object within a schema is named after both.
    const within = Object.entries(schemas).flatMap(([name, schema]) =>
      Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
        .filter(([, { properties }]) => properties !== undefined)
        .map(([property]) => `${name}_${property}`.replaceAll('_', '').toLowerCase()),
    );
    expect(Object.keys(schemas).filter((name) => within.includes(name.toLowerCase()))).toEqual([]);
  });

  it('has every empty value refused that it does not allow', async () => {
    const queries = api.operations.flatMap(({ method, path, operation: { parameters = [] } }) => {
      const inPath = parameters.find((one) => one.in === 'path')?.schema as { pattern?: string } | undefined;
      const id = inPath?.pattern?.replace(/^\^(\w+_).*$/, `$1${'0'.repeat(26)}`) ?? 'deal:1';
      const filled = path.replace(/\{\w+\}/, id);
      const names = method === 'GET' ? parameters.filter((one) => one.in === 'query') : [];
      return names.map(({ name }) => `${filled}?${name}=`);
    });
    const refused = queries.filter((path) => !api.allows({ method: 'GET', path }));
    expect(refused.length).toBeGreaterThan(80);
    for (const path of refused) {
      const { status } = await switchboard.wire.send(path, { headers: switchboard.bearer });
      expect({ path, status }).toEqual({ path, status: 400 });
    }
  });

  it('declares the format of times, and the exact ranges of numbers', () => {
    const found = [...objectsIn(document.components.schemas)].map(([, schema]) => schema);
    const times = found.filter(({ format }) => format === 'date-time');
    expect(times.length).toBeGreaterThan(30);
    expect(times.filter(({ pattern }) => pattern !== undefined)).toEqual([]);
    const bounds = found.flatMap(({ minimum, maximum }) => [minimum, maximum]);
    expect(bounds).not.toContain(Number.MAX_SAFE_INTEGER);
    expect(bounds).not.toContain(Number.MIN_SAFE_INTEGER);
  });

  it('names the media type of errors', async () => {
    const types = Object.values(document.components.responses).flatMap(({ content }) =>
      Object.keys(content!),
    );
    expect(new Set(types)).toEqual(new Set(['application/problem+json']));
    const response = await switchboard.ask('/events/nonsense');
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(api.undeclared('GET', '/api/v1/events/nonsense', response)).toEqual([]);
  });

  it('says what bodies are optional, and which fields exclude each other', () => {
    const body = { reason: 'x', ids: [`dlv_${'0'.repeat(26)}`] };
    expect(allows('/deliveries/discard', body)).toBe(true);
    expect(allows('/deliveries/discard', { ...body, error: 'timeout' })).toBe(false);
    expect(allows('/subscription/rotate')).toBe(true);
    expect(allows('/targets/pause')).toBe(true);
    expect(allows('/targets')).toBe(false);
    expect(allows('/targets', { name: 'a', url: 'https://a.example' })).toBe(true);
    expect(allows('/targets', { name: 'a' })).toBe(false);
    expect(allows('/targets', { name: 'a', kind: 'listener' })).toBe(true);
    expect(allows('/targets', { name: ' \u202e', kind: 'listener' })).toBe(false);
    expect(allows('/targets', { name: 'half \ud83d', kind: 'listener' })).toBe(false);
    expect(allows('/targets', { name: '\ud83d\ude00', kind: 'listener' })).toBe(true);
    expect(document.components.schemas['SandboxFaultChanges']).toMatchObject({
      propertyNames: { pattern: '^[a-z][a-z0-9_]{0,39}$' },
    });
  });
});
