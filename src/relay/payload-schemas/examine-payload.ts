import { isJsonObject } from '../ground/parse-body';
import { formatOf, isCode, isDataKey, isPersonalKey, roundRange, typeOf } from './classify-value';
import { makeMap } from './merge-nodes';
import { countOf, MAX_SCHEMA_BYTES, newNode, type SchemaNode, type TypeSchema } from './schema-node';

const MAX_NODES = 1_000;
/** Some is left for what operators decide. */
const MAX_BYTES = MAX_SCHEMA_BYTES - 8 * 1024;
/** Upper limits of what the parts of a schema take when it is stored, beside keys and values. */
const NODE_BYTES = 150;
const TYPE_BYTES = 50;
const FORMAT_BYTES = 30;
const VALUE_BYTES = 20;
const MAX_DEPTH = 12;
const MAX_ELEMENTS = 50;
const MAX_VALUES = 20;

/** An object with more keys, most of which are in under a tenth of the objects, is a map. */
const MOST_KEYS = 30;
const RARE_SHARE = 0.1;
const LEAST_DATA_KEYS = 3;

/** Learns the schema of a type from its payloads. It keeps no text of a payload except keys, and words of a vocabulary. */
export class PayloadExaminer {
  private nodes = 0;
  private bytes = 0;
  private seq = 0;
  private at = 0;

  constructor(readonly schema: TypeSchema) {
    this.measure();
  }

  /** @param payload parsed JSON */
  examine(payload: unknown, seq: number, at: number): void {
    [this.seq, this.at] = [seq, at];
    this.visit(this.schema.root, payload, 0);
  }

  private visit(node: SchemaNode, value: unknown, depth: number): void {
    if (node.rule === 'ignore') return;
    const type = typeOf(value);
    const { count, types } = node;
    if (types[type] === undefined && !this.takes(TYPE_BYTES)) return;
    node.count = count + 1;
    const known = (types[type] ??= [0, this.seq]);
    known[0] += 1;
    node.last = [this.seq, this.at, this.schema.root.count];
    if (typeof value === 'string') this.visitText(node, value);
    else if (typeof value === 'number') this.visitNumber(node, value, type === 'integer');
    else if (Array.isArray(value)) this.visitArray(node, value, depth);
    else if (isJsonObject(value)) this.visitObject(node, value, depth);
  }

  private visitText(node: SchemaNode, text: string): void {
    const format = formatOf(text);
    if (format !== undefined) {
      const { [format]: known } = (node.formats ??= {});
      if (known !== undefined || this.takes(FORMAT_BYTES)) node.formats[format] = (known ?? 0) + 1;
    }
    this.addValue(node, text);
  }

  private visitNumber(node: SchemaNode, value: number, isInteger: boolean): void {
    // JSON has numbers beyond those of JavaScript.
    if (Number.isFinite(value)) {
      const [min, max] = [roundRange(value, 'floor'), roundRange(value, 'ceil')];
      node.range =
        node.range === undefined ? [min, max] : [Math.min(node.range[0], min), Math.max(node.range[1], max)];
    }
    if (isInteger) this.addValue(node, value);
    else this.dropValues(node);
  }

  private visitArray(node: SchemaNode, elements: readonly unknown[], depth: number): void {
    if (elements.length === 0) return;
    const items = node.items ?? this.create('', depth);
    if (items === undefined) return;
    node.items = items;
    if (elements.length > MAX_ELEMENTS) this.schema.truncated = true;
    for (const element of elements.slice(0, MAX_ELEMENTS)) this.visit(items, element, depth + 1);
  }

  private visitObject(node: SchemaNode, object: Record<string, unknown>, depth: number): void {
    const mayBeMap = depth > 0 && node.rule !== 'object';
    let hasNewKeys = false;
    for (const [index, [key, member]] of Object.entries(object).entries()) {
      if (node.map === undefined && !node.properties?.has(key)) {
        hasNewKeys = true;
        this.addKey(node, key, depth, mayBeMap);
      }
      const known = node.map ?? node.properties?.get(key);
      if (known !== undefined && (node.map === undefined || index < MAX_ELEMENTS))
        this.visit(known, member, depth + 1);
    }
    if (hasNewKeys && mayBeMap && hasRareKeys(node)) this.makeMap(node);
    if (node.properties !== undefined && Object.keys(object).length < node.properties.size)
      this.noteMissing(node, object);
  }

  private noteMissing(node: SchemaNode, object: Record<string, unknown>): void {
    const others = countOf(node, 'object') - 1;
    for (const [key, member] of node.properties!)
      if (member.count === others && !Object.hasOwn(object, key)) member.missing ??= this.seq;
  }

  private addKey(node: SchemaNode, key: string, depth: number, mayBeMap: boolean): void {
    const properties = (node.properties ??= new Map<string, SchemaNode>());
    if (mayBeMap && hasDataKeys(properties, key)) this.makeMap(node);
    if (node.map !== undefined) return;
    const created = isPersonalKey(key) ? undefined : this.create(key, depth);
    if (created !== undefined) properties.set(key, created);
  }

  private makeMap(node: SchemaNode): void {
    makeMap(node, [this.seq, this.at]);
    this.measure();
  }

  private create(key: string, depth: number): SchemaNode | undefined {
    if (depth >= MAX_DEPTH || this.nodes >= MAX_NODES) this.schema.truncated = true;
    else if (this.takes(NODE_BYTES + keyBytes(key))) {
      this.nodes += 1;
      return newNode(this.seq, this.at);
    }
    return undefined;
  }

  private addValue(node: SchemaNode, value: string | number): void {
    if (node.values === null) return;
    const values = (node.values ??= new Map());
    const known = values.get(value);
    const mayAdd = () => isCode(value) && values.size < MAX_VALUES && this.takes(valueBytes(value));
    if (known !== undefined || mayAdd()) values.set(value, (known ?? 0) + 1);
    else this.dropValues(node);
  }

  private dropValues(node: SchemaNode): void {
    this.bytes -= bytesOfValues(node);
    node.values = null;
  }

  /** Whether there is room for more. */
  private takes(bytes: number): boolean {
    const hasRoom = this.bytes + bytes <= MAX_BYTES;
    if (hasRoom) this.bytes += bytes;
    else this.schema.truncated = true;
    return hasRoom;
  }

  private measure(): void {
    this.nodes = 0;
    this.bytes = 0;
    const add = (node: SchemaNode, key: string) => {
      const { types, formats = {}, properties, map, items } = node;
      this.nodes += 1;
      this.bytes += NODE_BYTES + keyBytes(key) + bytesOfValues(node);
      this.bytes += TYPE_BYTES * Object.keys(types).length + FORMAT_BYTES * Object.keys(formats).length;
      for (const [name, member] of properties ?? []) add(member, name);
      if (map !== undefined) add(map, '');
      if (items !== undefined) add(items, '');
    };
    add(this.schema.root, '');
  }
}

const keyBytes = (key: string) => Buffer.byteLength(JSON.stringify(key));

const valueBytes = (value: string | number) => VALUE_BYTES + String(value).length;

const bytesOfValues = ({ values }: SchemaNode) =>
  [...(values?.keys() ?? [])].reduce<number>((sum, value) => sum + valueBytes(value), 0);

/** Whether the keys of an object, with another one, look like data. */
function hasDataKeys(properties: ReadonlyMap<string, SchemaNode>, key: string): boolean {
  if (isPersonalKey(key)) return true;
  if (properties.size + 1 < LEAST_DATA_KEYS || !isDataKey(key)) return false;
  for (const known of properties.keys()) if (!isDataKey(known)) return false;
  return true;
}

/** Whether most keys of an object are so rare that they are data. Called once for each object: it counts all. */
function hasRareKeys(node: SchemaNode): boolean {
  const { properties } = node;
  if (properties === undefined || properties.size <= MOST_KEYS) return false;
  const objects = countOf(node, 'object');
  const rare = [...properties.values()].filter(({ count }) => count < objects * RARE_SHARE);
  return rare.length > properties.size / 2;
}
