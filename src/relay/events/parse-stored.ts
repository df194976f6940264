/** The JSON of a stored event that was readable when it came. */
export function parseStored(body: Uint8Array): unknown {
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}
