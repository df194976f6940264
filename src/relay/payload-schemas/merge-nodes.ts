import { newNode, type Format, type JsonType, type Seen, type SchemaNode } from './schema-node';

/** Adds what was seen at another path, as both are members of a map. */
function mergeNodes(node: SchemaNode, other: SchemaNode): void {
  node.count += other.count;
  for (const [type, [count, seq]] of Object.entries(other.types) as [JsonType, [number, number]][]) {
    const [known, first] = node.types[type] ?? [0, seq];
    node.types[type] = [known + count, Math.min(first, seq)];
  }
  if (other.first[0] < node.first[0]) node.first = other.first;
  if (other.last[0] > node.last[0]) node.last = other.last;
  delete node.missing;
  for (const [format, count] of Object.entries(other.formats ?? {}) as [Format, number][]) {
    node.formats ??= {};
    node.formats[format] = (node.formats[format] ?? 0) + count;
  }
  if (other.range !== undefined) {
    const [min, max] = node.range ?? other.range;
    node.range = [Math.min(min, other.range[0]), Math.max(max, other.range[1])];
  }
  // The values of different keys are data, as the keys are.
  if (node.values !== undefined || other.values !== undefined) node.values = null;
  for (const [key, member] of other.properties ?? []) {
    node.properties ??= new Map();
    const known = node.properties.get(key);
    if (known === undefined) node.properties.set(key, member);
    else mergeNodes(known, member);
  }
  for (const part of ['map', 'items'] as const) {
    const theirs = other[part];
    if (theirs === undefined) continue;
    const own = node[part];
    if (own === undefined) node[part] = theirs;
    else mergeNodes(own, theirs);
  }
}

/** @param since the event with which it becomes a map */
export function makeMap(node: SchemaNode, since: Seen): void {
  const [first, ...others] = [...(node.properties?.values() ?? [])];
  node.map = first ?? newNode(...since);
  for (const other of others) mergeNodes(node.map, other);
  delete node.properties;
  node.mapped = since[0];
}
