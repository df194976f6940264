/** The first bytes of a body in another coding than UTF-8; null is any byte but 0. The longest come first. */
const BEGINNINGS: [coding: string, bytes: (number | null)[]][] = [
  ['UTF-32LE', [0xff, 0xfe, 0, 0]],
  ['UTF-32BE', [0, 0, 0xfe, 0xff]],
  ['UTF-32LE', [null, 0, 0, 0]],
  ['UTF-32BE', [0, 0, 0, null]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
  ['UTF-16LE', [null, 0]],
  ['UTF-16BE', [0, null]],
  ['gzip', [0x1f, 0x8b]],
];

/**
 * The coding of a body that is not JSON in UTF-8 (RFC 8259, 8.1): what its first bytes or its headers tell. Null if
 * they tell nothing.
 * @param headers with lowercase names
 */
export function describeCoding(
  body: Uint8Array,
  headers: readonly (readonly [name: string, value: string])[],
): string | null {
  const valueOf = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? '';
  const begins = (bytes: (number | null)[]) =>
    bytes.length <= body.length &&
    bytes.every((byte, i) => (byte === null ? body[i] !== 0 : body[i] === byte));
  const [charset] = /(?<=;\s*charset\s*=\s*"?)[\w.:-]+/i.exec(valueOf('content-type')) ?? [];
  const [encoding] = /^\s*[\w-]+/.exec(valueOf('content-encoding').replace(/^\s*identity\s*$/i, '')) ?? [];
  const declared = encoding?.trim() ?? (/^utf-?8$/i.test(charset ?? 'utf-8') ? undefined : charset);
  return declared ?? BEGINNINGS.find(([, bytes]) => begins(bytes))?.[0] ?? null;
}
