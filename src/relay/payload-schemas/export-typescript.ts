import { isRequired, pinnedValuesOf, type SchemaNode } from './schema-node';
import { isTypeOfEvent, sortedProperties, typeNames } from './export-names';

/** One interface per type, and their union, which `event` discriminates. The same schemas give the same bytes. */
export function exportTypeScript(schemas: ReadonlyMap<string, SchemaNode>): string {
  const names = typeNames([...schemas.keys()]);
  const interfaces = [...names].map(
    ([type, name]) => `export interface ${name} ${objectType(schemas.get(type)!, '', type)}\n`,
  );
  const union = [...names.values()].map((name) => `\n  | ${name}`).join('') || ' never';
  return `${interfaces.join('\n')}${interfaces.length > 0 ? '\n' : ''}export type CopilotEvent =${union};\n`;
}

function typeOf(node: SchemaNode, indent: string): string {
  const pinned = pinnedValuesOf(node)?.map((value) => JSON.stringify(value));
  const types = Object.keys(node.types).flatMap((type) => {
    switch (type) {
      case 'string':
        return pinned ?? type;
      case 'integer':
        return pinned ?? 'number';
      case 'array':
        return `Array<${node.items === undefined ? 'unknown' : typeOf(node.items, indent)}>`;
      case 'object':
        return objectType(node, indent);
      default:
        return type;
    }
  });
  return [...new Set(types)].toSorted().join(' | ') || 'unknown';
}

function objectType(node: SchemaNode, indent: string, eventType?: string): string {
  if (node.map !== undefined) return `Record<string, ${typeOf(node.map, indent)}>`;
  const members = sortedProperties(node).map(([key, member]) => {
    const isType = isTypeOfEvent(key, eventType);
    const type = isType ? JSON.stringify(eventType) : typeOf(member, `${indent}  `);
    const mark = isType || isRequired(member, node) ? '' : '?';
    return `${indent}  ${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}${mark}: ${type};\n`;
  });
  return members.length === 0 ? 'Record<string, unknown>' : `{\n${members.join('')}${indent}}`;
}
