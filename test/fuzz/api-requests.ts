import * as fc from 'fast-check';
import type { ApiDocument } from '../support/api/described-api';
import { SchemaValues, type Schema } from './schema-values';
import { AWKWARD_NAMES, awkwardText, expensiveJsonText } from './json-texts';

export interface ApiRequest {
  method: string;
  /** With its query, encoded. */
  path: string;
  contentType: string | null;
  body: string | null;
}

type Content = Record<string, { schema: Schema }>;
interface Parameter {
  in: string;
  name: string;
  schema?: Schema;
  content?: Content;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Content };
}

/** Prefixes of the ids of each resource. */
const ID_PREFIXES: Partial<Record<string, string>> = {
  events: 'evt_',
  targets: 'tgt_',
  deliveries: 'dlv_',
  stats: 'tgt_',
  consumers: 'reader',
};

const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'x',
  '*/*',
];

/** Percent-encoded by bytes, because `encodeURIComponent` rejects lone surrogates. */
const encoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

/** Requests to the routes of the OpenAPI document, valid and invalid. */
export class ApiRequests {
  private readonly values: SchemaValues;

  /** @param known ids and cursors that exist */
  constructor(
    private readonly document: ApiDocument,
    private readonly known: readonly string[],
  ) {
    this.values = new SchemaValues(document.components.schemas, known);
  }

  /** GET requests with random queries. */
  queries(): fc.Arbitrary<ApiRequest> {
    const found = this.operations().filter(({ method }) => method === 'GET');
    return fc.oneof(
      ...found.map(({ method, path, operation }) =>
        fc.tuple(this.path(path), this.query(operation.parameters ?? [])).map(([at, query]): ApiRequest => ({
          method,
          path: `${at}${query}`,
          contentType: null,
          body: null,
        })),
      ),
    );
  }

  /** Requests of other methods with random bodies. */
  bodies(): fc.Arbitrary<ApiRequest> {
    const found = this.operations().filter(({ method }) => method !== 'GET');
    return fc.oneof(
      ...found.map(({ method, path, operation }) =>
        fc
          .tuple(
            this.path(path),
            this.body(operation),
            fc.oneof(
              { arbitrary: fc.constant('application/json'), weight: 20 },
              fc.constantFrom(null, ...CONTENT_TYPES),
            ),
          )
          .map(([at, body, contentType]): ApiRequest => ({ method, path: at, contentType, body })),
      ),
    );
  }

  private operations(): { method: string; path: string; operation: Operation }[] {
    return Object.entries(this.document.paths)
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          operation: operation as Operation,
        })),
      );
  }

  private path(path: string): fc.Arbitrary<string> {
    if (!path.includes('{')) return fc.constant(path);
    const prefix = ID_PREFIXES[path.split('/')[3]!];
    const fitting = this.known.filter((id) => prefix !== undefined && id.startsWith(prefix));
    return fc
      .oneof(
        { arbitrary: fc.constantFrom(...(fitting.length > 0 ? fitting : this.known)), weight: 8 },
        { arbitrary: fc.constantFrom(...this.known), weight: 1 },
        { arbitrary: awkwardText, weight: 1 },
      )
      .map((id) => path.replace(/\{\w+\}/, encoded(id)));
  }

  private query(parameters: readonly Parameter[]): fc.Arbitrary<string> {
    const wanted = parameters
      .filter((one) => one.in === 'query')
      .map(({ name, schema, content }) =>
        this.value(name, schema ?? content!['application/json']!.schema).map((value) => `${name}=${value}`),
      );
    const wild = fc
      .tuple(
        fc.oneof(fc.constantFrom(...AWKWARD_NAMES, 'limit', 'cursor', 'type[]', 'since[gt]'), awkwardText),
        awkwardText,
      )
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    const broken = fc.constantFrom('&', '=', '%', '%zz', '%c0%80', '?', '[', 'limit', 'limit=1&limit=2', ';');
    const part = fc.oneof(
      ...wanted.map((arbitrary) => ({ arbitrary, weight: 10 })),
      { arbitrary: wild, weight: 1 },
      { arbitrary: broken, weight: 1 },
    );
    return fc.array(part, { maxLength: 5 }).map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));
  }

  private value(name: string, schema: Schema): fc.Arbitrary<string> {
    const fits = this.values
      .of(schema)
      .map((value) => encoded(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')));
    const cursors = fc
      .tuple(fc.constantFrom(...this.known), fc.nat(), fc.oneof(fc.constant(''), awkwardText))
      .map(([cursor, at, put]) => encoded(put === '' ? cursor : cursor.slice(0, at % cursor.length) + put));
    return name === 'cursor' ? fc.oneof(cursors, fits) : fits;
  }

  private body({ requestBody }: Operation): fc.Arbitrary<string | null> {
    const schema = requestBody?.content['application/json']?.schema;
    const wanted =
      schema === undefined
        ? fc.constantFrom(null, '', '{}')
        : this.values.of(schema).map((value) => JSON.stringify(value));
    const cut = fc
      .tuple(wanted, fc.nat())
      .map(([text, at]) => (text === null ? '{' : text.slice(0, at % (text.length + 1))));
    return fc.oneof(
      { arbitrary: wanted, weight: 12 },
      { arbitrary: cut, weight: 2 },
      { arbitrary: expensiveJsonText, weight: 1 },
      { arbitrary: awkwardText, weight: 1 },
    );
  }
}
