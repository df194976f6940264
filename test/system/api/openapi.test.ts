import { z } from 'zod';
import { Switchboard } from '../../support/daemon/switchboard';

interface Schema {
  $ref?: string;
  [keyword: string]: unknown;
}
type Content = Record<string, { schema?: Schema }>;
interface Operation {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

let switchboard: Switchboard;
let document: Document;
let operations: Operation[];

beforeAll(async () => {
  switchboard = await Switchboard.start();
  document = (await switchboard.ask('/openapi.json')).json as Document;
  operations = Object.values(document.paths).flatMap((item) => Object.values(item));
});
afterAll(() => switchboard.end());

/** Each object within a value, including the value itself. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

describe('the OpenAPI document', () => {
  it('has version 3.1, and the URL of the server', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.servers).toEqual([{ url: switchboard.relay.url }]);
  });

  it('has a unique verb and noun as the id of each operation', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['listEvents', 'getEvent', 'createTarget', 'pauseReplay']));
  });

  it('names the schemas of requests and responses', () => {
    const inline = operations.flatMap(({ operationId, requestBody, responses }) => {
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

  it('has no dangling references', () => {
    const references = [...objectsIn(document)]
      .map(({ $ref }) => $ref)
      .filter((reference) => typeof reference === 'string');
    const defined = new Set(
      Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
    );
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => !defined.has(reference))).toEqual([]);
  });

  it('has schemas that are valid, current JSON Schema', () => {
    const { schemas } = document.components;
    const text = JSON.stringify({ $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/');
    const { $defs } = JSON.parse(text) as { $defs: Record<string, object> };
    for (const name of Object.keys(schemas)) {
      const schema = { $ref: `#/$defs/${name}`, $defs } as Parameters<typeof z.fromJSONSchema>[0];
      expect(() => z.fromJSONSchema(schema, { defaultTarget: 'draft-2020-12' })).not.toThrow();
    }
    // Keywords of OpenAPI 3.0 that JSON Schema does not have.
    expect([...objectsIn(schemas)].filter((schema) => schema['nullable'] === true)).toEqual([]);
  });

  it('declares the format of times, and the exact ranges of numbers', () => {
    const found = [...objectsIn(document.components.schemas)];
    const times = found.filter(({ format }) => format === 'date-time');
    expect(times.length).toBeGreaterThan(30);
    expect(times.filter(({ pattern }) => pattern !== undefined)).toEqual([]);
    const bounds = found.flatMap(({ minimum, maximum }) => [minimum, maximum]);
    expect(bounds).not.toContain(Number.MAX_SAFE_INTEGER);
    expect(bounds).not.toContain(Number.MIN_SAFE_INTEGER);
  });

  it('names the media type of errors', async () => {
    const types = operations.flatMap(({ responses }) => Object.keys(responses['default']?.content ?? {}));
    expect(new Set(types)).toEqual(new Set(['application/problem+json']));
    const response = await switchboard.ask('/events/nonsense');
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  });
});
