import { isJsonObject, parseBody } from '../ground/parse-body';
import type { SchemaNode } from './schema-node';

/** Whether a schema has a value, as one of a possible enumeration, that occurs in one of these bodies. */
export function sharesValues(root: SchemaNode, bodies: readonly Uint8Array[]): boolean {
  const known = new Set<unknown>();
  const nodes = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    for (const value of node.values?.keys() ?? []) known.add(value);
    nodes.push(
      ...(node.properties?.values() ?? []),
      ...[node.map, node.items].filter((one) => one !== undefined),
    );
  }
  return known.size > 0 && bodies.some((body) => hasAny(parseBody(body), known));
}

function hasAny(payload: unknown, known: ReadonlySet<unknown>): boolean {
  const values = [payload];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (known.has(value)) return true;
    if (Array.isArray(value)) values.push(...(value as unknown[]));
    else if (isJsonObject(value)) values.push(...Object.values(value));
  }
  return false;
}
