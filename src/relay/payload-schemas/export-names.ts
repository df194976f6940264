import type { SchemaNode } from './schema-node';

/** By event type, sorted, the name of its schema: `DealStatusChanged`, and a number behind it where two are alike. */
export function typeNames(types: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set(['CopilotEvent']);
  for (const type of types.toSorted()) {
    const words = type.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
    const base = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('') || 'Event';
    const plain = /^\d/.test(base) ? `Event${base}` : base;
    let name = plain;
    for (let n = 2; used.has(name); n += 1) name = `${plain}${n}`;
    used.add(name);
    names.set(type, name);
  }
  return names;
}

export const sortedProperties = ({ properties }: SchemaNode): [key: string, member: SchemaNode][] =>
  [...(properties ?? [])]
    .filter(([, { rule }]) => rule !== 'ignore')
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Whether a member of a payload is what says its type. */
export const isTypeOfEvent = (key: string, eventType: string | undefined): boolean =>
  eventType !== undefined && key === 'event';
