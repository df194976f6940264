/** A part of a JSON Schema, as the hub exports it. */
interface Part {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Part>;
  required?: string[];
  items?: Part;
  additionalProperties?: Part;
}

/** An export in JSON Schema or AsyncAPI. */
interface Document {
  asyncapi?: string;
  $defs?: Record<string, Part>;
  components?: { schemas: Record<string, Part> };
}

/** A path that differs; null where it is missing. */
export interface Difference {
  path: string;
  before: string | null;
  after: string | null;
}

/** By path, such as `DealCreated.data.id`, what its type is; with a question mark, it is optional. */
type Paths = Map<string, string>;

/** @param before @param after exports of the hub, in the same format @throws SyntaxError if they are not */
export function compareExports(before: string, after: string): Difference[] {
  const [earlier, later] = [pathsOf(before), pathsOf(after)];
  return [...new Set([...earlier.keys(), ...later.keys()])]
    .map((path) => ({ path, before: earlier.get(path) ?? null, after: later.get(path) ?? null }))
    .filter((one) => one.before !== one.after)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The format of an export. @throws SyntaxError if it is none */
export function formatOf(text: string): 'typescript' | 'json_schema' | 'asyncapi' {
  if (!text.trimStart().startsWith('{')) return 'typescript';
  return (JSON.parse(text) as Document).asyncapi === undefined ? 'json_schema' : 'asyncapi';
}

function pathsOf(text: string): Paths {
  return formatOf(text) === 'typescript' ? pathsOfTypes(text) : pathsOfSchemas(text);
}

function pathsOfSchemas(text: string): Paths {
  const { $defs, components } = JSON.parse(text) as Document;
  const definitions = $defs ?? components?.schemas;
  if (definitions === undefined) throw new SyntaxError('It has no definitions.');
  const paths: Paths = new Map();
  const add = (path: string, part: Part, mark = '') => {
    paths.set(path, `${describe(part)}${mark}`);
    for (const [key, member] of Object.entries(part.properties ?? {}))
      add(`${path}.${key}`, member, part.required?.includes(key) ? '' : '?');
    if (part.items) add(`${path}[]`, part.items);
    if (part.additionalProperties) add(`${path}.*`, part.additionalProperties);
  };
  for (const [name, part] of Object.entries(definitions)) add(name, part);
  return paths;
}

/** Without the values that were seen, which are no part of the type. */
function describe({ type = 'unknown', format, enum: values, const: value }: Part): string {
  if (value !== undefined) return JSON.stringify(value);
  const types = values?.map((one) => JSON.stringify(one)) ?? [type].flat();
  return `${types.join(' | ')}${format === undefined ? '' : ` (${format})`}`;
}

/** A member of an interface, or its head, or what closes it. */
const OPENED = /^( *)(?:export interface (\w+)|("(?:[^"\\]|\\.)*"|[\w$]+)(\??):) (.*?);?$/;
const CLOSED = /^( *)(\}.*?);?$/;

/** Reads what the hub writes, with a member or a bracket a line. */
function pathsOfTypes(text: string): Paths {
  if (!text.includes('export type CopilotEvent')) throw new SyntaxError('It has no events.');
  const paths: Paths = new Map();
  const outer: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, indent = '', name = '', key = name, mark = '', type = ''] = OPENED.exec(line) ?? [];
    const [, closingIndent = '', rest = ''] = CLOSED.exec(line) ?? [];
    if (rest !== '') {
      const path = outer[closingIndent.length / 2] ?? '';
      paths.set(path, `${paths.get(path)}${rest}`);
    } else if (key !== '') {
      outer.length = indent.length / 2;
      outer.push([...outer.slice(-1), key].join('.'));
      paths.set(outer.at(-1)!, `${type}${mark}`);
    }
  }
  return paths;
}
