import type { PayloadChange } from '../../contract/payload-type';
import { MASKED, type PayloadMask } from '../filters/payload-mask';
import type { SchemaNode } from './schema-node';

/** Removes from the schema of a type what it has of masked values: words of a vocabulary, and the range of numbers. */
export function maskSchema(type: string, root: SchemaNode, mask: PayloadMask | null): SchemaNode {
  for (const steps of mask?.stepsIn(type) ?? []) maskAt(root, steps);
  return root;
}

function maskAt(node: SchemaNode, steps: readonly string[]): void {
  const [step, ...rest] = steps;
  const { properties, map, items } = node;
  if (step === undefined) {
    delete node.values;
    delete node.range;
    delete node.formats;
  }
  const members = step === undefined ? [...(properties?.values() ?? [])] : [properties?.get(step)];
  for (const member of [...members, map]) if (member !== undefined) maskAt(member, rest);
  // A step through a list is its index, or is left out.
  if (items === undefined) return;
  maskAt(items, steps);
  if (step !== undefined && /^\d+$/.test(step)) maskAt(items, rest);
}

/** Hides what changes say about masked paths: of an enumeration, that is its values. */
export const maskChanges = (
  type: string,
  changes: readonly PayloadChange[],
  mask: PayloadMask | null,
): PayloadChange[] =>
  changes.map((change) => {
    const { path, before, after } = change;
    if (mask?.covers(filterPath(path), type) !== true) return change;
    return { ...change, before: before && MASKED, after: after && MASKED };
  });

/** The path of a filter that reaches what is at the path of a schema; that of a map reaches all its members. */
const filterPath = (path: string) => path.replaceAll('[]', '').replace(/\.\*(\..*)?$/, '');
