import { Client, type ClientConfig, type CustomTypesConfig, type QueryConfig } from 'pg';
import { binaryArray, type ElementType } from './binary-array';
import { translateSql } from './translate-sql';

/** The bounds of BIGINT stand for infinity, which SQLite compares with numbers. */
const MAX_BIGINT = '9223372036854775807';
const MIN_BIGINT = '-9223372036854775808';

/** Object ids of types (`pg_type`). */
const BOOL = 16;
const INT8 = 20;
const JSON_TYPE = 114;
const NUMERIC = 1700;

const asText = (value: string) => value;

/** As SQLite returns values: integers and sums as numbers (none exceeds 2^53), conditions as 0 and 1, JSON as text. */
const PARSERS: Readonly<Record<number, (value: string) => unknown>> = {
  [BOOL]: (value) => (value === 't' ? 1 : 0),
  [INT8]: Number,
  [NUMERIC]: Number,
  [JSON_TYPE]: asText,
};

const { types: DEFAULTS } = require('pg') as typeof import('pg');

const TYPES: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : PARSERS[oid]) ?? DEFAULTS.getTypeParser(oid, format),
};

/** A connection that takes the statements of all features, with their parameters, and returns rows as SQLite does. */
export class PostgresClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, types: TYPES });
    // The server may end the session between two statements of a transaction; the next one reports it.
    this.on('error', () => undefined);
  }

  // The overloads of the driver; the pool calls it with a callback.
  override query(...[statement, values, ...rest]: unknown[]): never {
    const run = super.query.bind(this) as (...parameters: unknown[]) => never;
    if (typeof statement !== 'string') return run(statement, values, ...rest);
    if (!Array.isArray(values)) return run(translateSql(statement, [])[0], values, ...rest);
    const [text, bound] = translateSql(statement, values);
    return run(text, bound.map(toParameter), ...rest);
  }
}

/** What a session calls a statement, and which of its parameters are arrays. */
interface Prepared {
  name: string;
  arrays: readonly (ElementType | undefined)[];
}

const ARRAY_PARAMETER = /\$(\d+)::(bigint|text|bytea)\[\]/g;

/** By their text. */
const statements = new Map<string, Prepared>();

/**
 * A statement that the session keeps parsed, and plans each time. Of one without parameters it would keep the plan, so that
 * is not prepared. For a limited number of statements.
 */
export function prepared(statement: string, parameters: unknown[]): QueryConfig {
  const [text, bound] = translateSql(statement, parameters);
  if (bound.length === 0) return { text };
  let known = statements.get(text);
  if (known === undefined) statements.set(text, (known = prepare(text, statements.size)));
  const { name, arrays } = known;
  const values = bound.map((value, i) => {
    const parameter = toParameter(value);
    const type = arrays[i];
    return type !== undefined && Array.isArray(parameter) ? binaryArray(type, parameter) : parameter;
  });
  return { name, text, values };
}

function prepare(text: string, number: number): Prepared {
  const arrays: ElementType[] = [];
  for (const [, place, type] of text.matchAll(ARRAY_PARAMETER))
    arrays[Number(place) - 1] = type as ElementType;
  return { name: `statement_${number}`, arrays };
}

function toParameter(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') return toText(value);
  if (value === Infinity) return MAX_BIGINT;
  if (value === -Infinity) return MIN_BIGINT;
  if (Array.isArray(value)) return value.map(toParameter);
  if (value instanceof Uint8Array && !Buffer.isBuffer(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value ?? null;
}

/** PostgreSQL stores every character except NUL. */
const toText = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);
