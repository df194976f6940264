const UTF_16_MARKS: Readonly<Record<string, 'utf-16le' | 'utf-16be'>> = {
  fffe: 'utf-16le',
  feff: 'utf-16be',
};

/**
 * The text of a file that an editor or a shell has saved, without its byte order mark: UTF-8, or UTF-16 as Windows
 * writes it. Bytes that are not UTF-8 become U+FFFD.
 */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes;
  // Without a mark: every other byte of ASCII text is zero.
  const unmarked = first === 0 ? 'utf-16be' : second === 0 ? 'utf-16le' : 'utf-8';
  return new TextDecoder(UTF_16_MARKS[bytes.toString('hex', 0, 2)] ?? unmarked).decode(bytes);
}
