import type { PayloadMask } from '../filters/payload-mask';
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
