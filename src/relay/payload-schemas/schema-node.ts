/** Types beyond have no schema. */
export const MAX_TYPES = 64;

/** What the schema of a type takes at most, as it is stored. */
export const MAX_SCHEMA_BYTES = 128 * 1024;

export type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

export type Format = 'date' | 'date-time' | 'digits' | 'email' | 'uri' | 'uuid';

/** The `seq` of an event, and when it was received. */
export type Seen = [seq: number, at: number];

/** What was seen at one path of the payloads of a type. */
export interface SchemaNode {
  count: number;
  /** How many of the values, and the first event with one. */
  types: Partial<Record<JsonType, [count: number, firstSeq: number]>>;
  first: Seen;
  /** And how many payloads of the type had been examined then. */
  last: [...Seen, examined: number];
  /** The first event without it, if all before had it. */
  missing?: number;
  formats?: Partial<Record<Format, number>>;
  /** Of the numbers, rounded outwards. */
  range?: [min: number, max: number];
  /** Values that may be those of an enumeration, with their counts; null: it is none. */
  values?: Map<string | number, number> | null;
  properties?: Map<string, SchemaNode>;
  /** What the members of an object have in common whose keys are data. */
  map?: SchemaNode;
  /** The event that made it a map. */
  mapped?: number;
  items?: SchemaNode;
  /** What an operator has decided: always a map, never one, not examined, or an enumeration of the values. */
  rule?: 'map' | 'object' | 'ignore' | 'enum';
  /** In a version: whether it had not occurred for long. */
  gone?: true;
}

/** The schema of a type. */
export interface TypeSchema {
  /** How many were stored since the first, examined or not. */
  events: number;
  /** Whether a limit was reached: there are paths that it lacks. */
  truncated: boolean;
  root: SchemaNode;
}

/** A value that is in fewer objects says little about the next one. */
const LEAST_OBJECTS = 100;

/** Values of an enumeration: each so often, among so many. */
const LEAST_SEEN = 3;
const LEAST_VALUES = 200;

export const newNode = (seq: number, at: number): SchemaNode => ({
  count: 0,
  types: {},
  first: [seq, at],
  last: [seq, at, 0],
});

export const newSchema = (seq: number, at: number): TypeSchema => ({
  events: 0,
  truncated: false,
  root: newNode(seq, at),
});

export const writeSchema = (schema: object): string =>
  JSON.stringify(schema, (_, value: unknown) => (value instanceof Map ? [...value] : value));

/** @param text as `writeSchema` returns it */
export const readSchema = (text: string): TypeSchema =>
  JSON.parse(text, (key, value: unknown) =>
    Array.isArray(value) && (key === 'properties' || key === 'values')
      ? new Map(value as [string, unknown][])
      : value,
  ) as TypeSchema;

export const countOf = (node: SchemaNode, type: JsonType): number => node.types[type]?.[0] ?? 0;

/** Whether a member was in every one of at least 100 objects. */
export const isRequired = (member: SchemaNode, parent: SchemaNode): boolean =>
  member.count === countOf(parent, 'object') && member.count >= LEAST_OBJECTS;

/** The formats that all of the texts have. */
export const formatsOf = ({ formats = {}, types }: SchemaNode): Format[] =>
  (Object.keys(formats) as Format[]).filter((format) => formats[format] === types.string?.[0]).toSorted();

/** The values of what an operator has said is an enumeration; undefined if it is none, or can no longer be one. */
export const pinnedValuesOf = ({ rule, values }: SchemaNode): (string | number)[] | undefined =>
  rule === 'enum' && values ? sorted([...values.keys()]) : undefined;

/** The values that seem to be those of an enumeration, sorted. */
export function valuesOf(node: SchemaNode): (string | number)[] {
  const pinned = pinnedValuesOf(node);
  if (pinned !== undefined) return pinned;
  const { values, count } = node;
  const counts = [...(values ?? [])];
  if (count < LEAST_VALUES || counts.some(([, seen]) => seen < LEAST_SEEN)) return [];
  return sorted(counts.map(([value]) => value));
}

const sorted = (values: (string | number)[]) => values.toSorted((one, other) => (one < other ? -1 : 1));
