import type { PayloadOverrides } from '../../contract/payload-type';
import { joinPath } from '../filters/filter-paths';
import type { FieldError } from '../ground/relay-error';
import { makeMap } from './merge-nodes';
import { newNode, type SchemaNode, type TypeSchema } from './schema-node';

const RULES = { maps: 'map', objects: 'object', ignore: 'ignore', enums: 'enum' } as const;
const KINDS = Object.keys(RULES) as (keyof typeof RULES)[];

interface Place {
  path: string;
  node: SchemaNode;
  /** Replaces the node; without one, it is learned anew. */
  put: (other?: SchemaNode) => void;
}

/** What an operator has decided about paths. */
export function overridesOf({ root }: TypeSchema): PayloadOverrides {
  const places = [...placesIn(root)];
  const pathsOf = (kind: keyof typeof RULES) =>
    places.filter(({ node }) => node.rule === RULES[kind]).map(({ path }) => path);
  return {
    maps: pathsOf('maps'),
    objects: pathsOf('objects'),
    ignore: pathsOf('ignore'),
    enums: pathsOf('enums'),
  };
}

/** What is wrong with overrides of a schema. */
export function checkOverrides({ root }: TypeSchema, overrides: PayloadOverrides): FieldError[] {
  const nodes = new Map([...placesIn(root)].map(({ path, node }) => [path, node]));
  const taken = new Set<string>();
  return KINDS.flatMap((kind) =>
    overrides[kind].flatMap((path, i) => {
      const message = fault(kind, nodes.get(path)) ?? (taken.has(path) ? 'is in these lists twice' : null);
      taken.add(path);
      return message === null ? [] : [{ path: `${kind}.${i}`, message: `${path} ${message}` }];
    }),
  );
}

function fault(kind: keyof typeof RULES, node: SchemaNode | undefined): string | null {
  if (node === undefined) return 'is no path of this type';
  if (node.rule === RULES[kind] || kind === 'ignore') return null;
  if (kind === 'enums')
    return node.values ? null : 'has other values than words of a vocabulary, or too many';
  return 'object' in node.types ? null : 'is no object';
}

/**
 * Changes a schema as operators want it; paths that it lacks do not matter.
 * @param latest the schema of the type as it is now: of enumerations, it knows all values
 */
export function overrideSchema(schema: TypeSchema, overrides: PayloadOverrides, latest: TypeSchema): void {
  const rules = new Map(KINDS.flatMap((kind) => overrides[kind].map((path) => [path, RULES[kind]] as const)));
  const values = new Map([...placesIn(latest.root)].map(({ path, node }) => [path, node.values]));
  for (const { path, node, put } of placesIn(schema.root)) {
    const [rule, before] = [rules.get(path), node.rule];
    if (rule === before) continue;
    if (before === 'ignore') put();
    else if (rule === 'ignore') put({ ...newNode(0, 0), rule });
    else if (rule === undefined) delete node.rule;
    else apply(node, rule, values.get(path));
  }
}

function apply(
  node: SchemaNode,
  rule: 'map' | 'object' | 'enum',
  values: SchemaNode['values'] | undefined,
): void {
  node.rule = rule;
  if (rule === 'map' && node.map === undefined) makeMap(node, node.first);
  if (rule === 'object') delete node.map;
  if (rule === 'enum') node.values = values ?? null;
}

/** The paths of a schema, outermost first. */
function* placesIn(node: SchemaNode, path = ''): Generator<Place> {
  for (const [key, member] of node.properties ?? []) {
    const inner = joinPath(path, key);
    const put = (other?: SchemaNode) => {
      if (other === undefined) node.properties!.delete(key);
      else node.properties!.set(key, other);
    };
    yield { path: inner, node: member, put };
    yield* placesIn(member, inner);
  }
  for (const [part, inner] of [
    ['map', joinPath(path, '*')],
    ['items', `${path}[]`],
  ] as const) {
    const member = node[part];
    if (member === undefined) continue;
    const put = (other?: SchemaNode) => {
      if (other === undefined) delete node[part];
      else node[part] = other;
    };
    yield { path: inner, node: member, put };
    yield* placesIn(member, inner);
  }
}
