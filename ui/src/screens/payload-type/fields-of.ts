import type { PayloadNode } from '@contract/payload-type';

/** A field of the payloads of a type. */
export interface Field {
  /** As in a filter; all members of a map are `*`, the elements of a list `[]`. */
  path: string;
  name: string;
  /** How many fields it is within. */
  depth: number;
  node: PayloadNode;
  /** Whether it is one that can be absent: not what the members of a map have in common. */
  isMember: boolean;
}

/** All fields in the order of the payload, each before those within it. */
export function fieldsOf({ properties = {}, map, items }: PayloadNode, path = '', depth = 0): Field[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const members = Object.entries(properties).map(([name, node]) => ({
    path: at(name.replaceAll(/[.\\]/g, String.raw`\$&`)),
    name,
    depth,
    node,
    isMember: true,
  }));
  const any = map === undefined ? [] : [{ path: at('*'), name: '*', depth, node: map, isMember: false }];
  return [
    ...[...members, ...any].flatMap((field) => [field, ...fieldsOf(field.node, field.path, depth + 1)]),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`, depth)),
  ];
}
