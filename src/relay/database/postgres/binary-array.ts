/** Object ids of the types of elements (`pg_type`). */
const ELEMENT_TYPES = { bigint: 20, text: 25, bytea: 17 };

export type ElementType = keyof typeof ELEMENT_TYPES;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const BIGINT_BYTES = 8;
const NULL_LENGTH = -1;

/**
 * A parameter of an array type in PostgreSQL's binary format (`array_recv`). The driver would write it as text, with every
 * element escaped, and bodies in hexadecimal.
 * @param elements as `toParameter` returns them: numbers, or the digits of a bigint; texts; bytes; null
 */
export function binaryArray(type: ElementType, elements: readonly unknown[]): Buffer {
  const size = elements.reduce<number>((sum, element) => sum + LENGTH_BYTES + byteLength(type, element), 0);
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + size);
  // Of dimensions, whether there are nulls, of the type, of elements, and the first index.
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(elements.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(ELEMENT_TYPES[type], 8);
  buffer.writeInt32BE(elements.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const element of elements) {
    const start = at + LENGTH_BYTES;
    const length = element === null ? NULL_LENGTH : write(type, element, buffer, start);
    buffer.writeInt32BE(length, at);
    at = start + Math.max(0, length);
  }
  return buffer;
}

function byteLength(type: ElementType, element: unknown): number {
  if (element === null) return 0;
  if (type === 'bigint') return BIGINT_BYTES;
  return type === 'text' ? Buffer.byteLength(element as string) : (element as Uint8Array).length;
}

/** @returns how many bytes */
function write(type: ElementType, element: unknown, buffer: Buffer, at: number): number {
  if (type === 'text') return buffer.write(element as string, at);
  if (type === 'bytea') {
    buffer.set(element as Uint8Array, at);
    return (element as Uint8Array).length;
  }
  if (typeof element === 'number') {
    const high = Math.floor(element / 2 ** 32);
    buffer.writeInt32BE(high, at);
    buffer.writeUInt32BE(element - high * 2 ** 32, at + 4);
  } else buffer.writeBigInt64BE(BigInt(element as string), at);
  return BIGINT_BYTES;
}
