import * as fc from 'fast-check';
import { anyFilter } from './filters';
import { anyJson, awkwardValue } from './json-texts';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
}

const VALID_WEIGHT = 40;
/** Nothing listens on this port, and no request leaves the machine. */
const ADDRESSES = [
  'http://127.0.0.1:9/',
  'http://127.0.0.1:9/a?b=c#d',
  'https://127.0.0.1:9/%00',
  'http://[::1]:9/',
];

/** What a text must not go on with; fast-check makes no texts of such a pattern. */
const LOOKAHEAD = /\(\?!(?:[^()]|\([^()]*\))*\)/g;

/** Values that mostly conform to a schema; each part may be something else. */
export class SchemaValues {
  /** @param known ids that exist */
  constructor(
    private readonly schemas: Record<string, Schema>,
    private readonly known: readonly string[],
  ) {}

  of(schema: Schema): fc.Arbitrary<unknown> {
    return fc.oneof(
      { arbitrary: this.valid(schema), weight: VALID_WEIGHT },
      { arbitrary: awkwardValue, weight: 1 },
    );
  }

  private valid(schema: Schema): fc.Arbitrary<unknown> {
    const { $ref, enum: values, anyOf } = schema;
    if ($ref === '#/components/schemas/Filter') return anyFilter;
    if ($ref !== undefined) return this.of(this.schemas[$ref.split('/').at(-1)!]!);
    if (values !== undefined) return fc.constantFrom(...values);
    if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => this.of(one)));
    const { type } = schema;
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => this.valid({ ...schema, type: one })));
    switch (type) {
      case 'string':
        return this.text(schema);
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1e6, 1e6) });
      case 'number':
        return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array': {
        const { items = {}, minItems: minLength = 0, maxItems = 3 } = schema;
        return fc.array(this.of(items), { minLength, maxLength: Math.max(minLength, Math.min(maxItems, 3)) });
      }
      case 'object':
        return this.record(schema);
      case undefined:
      default:
        return anyJson;
    }
  }

  private text({ pattern, format, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
    if (format === 'uri') return fc.constantFrom(...ADDRESSES);
    if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    if (pattern === undefined) return fc.string({ minLength, maxLength: Math.min(maxLength, 40) });
    const expression = new RegExp(pattern);
    const known = this.known.filter((id) => expression.test(id));
    const any = fc
      .stringMatching(new RegExp(pattern.replaceAll(LOOKAHEAD, '')))
      .filter((text) => expression.test(text) && text.length <= maxLength);
    return known.length === 0 ? any : fc.oneof(fc.constantFrom(...known), any);
  }

  private record({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
    const parts = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, this.of(one)]));
    return fc.record(parts, { requiredKeys: required });
  }
}
