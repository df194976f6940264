import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** A cache file starts with a checksum of the source and of the compiled code. */
const CHECKSUM_BYTES = 4;

const cacheFile = (file: string): string => `${file}.cache`;

/**
 * The code that V8 compiled from `source`, the content of `file`. Undefined if there is none, or if it was not made from exactly
 * this content: V8 rejects the cache of another version or of other flags, but compares only the length of the source and trusts
 * the data.
 */
export function readCodeCache(file: string, source: Buffer): Buffer | undefined {
  let stored: Buffer;
  try {
    stored = readFileSync(cacheFile(file));
  } catch {
    return undefined;
  }
  const data = stored.subarray(CHECKSUM_BYTES);
  if (stored.length < CHECKSUM_BYTES || stored.readUInt32LE() !== checksum(source, data)) return undefined;
  return data;
}

/** The cache gets the mode of `file`, so that every user who can run the program can use it. */
export function writeCodeCache(file: string, source: Buffer, data: Buffer): void {
  const prefix = Buffer.alloc(CHECKSUM_BYTES);
  prefix.writeUInt32LE(checksum(source, data));
  writeFileSync(cacheFile(file), Buffer.concat([prefix, data]));
  chmodSync(cacheFile(file), statSync(file).mode);
}

const checksum = (source: Buffer, data: Buffer): number => crc32(data, crc32(source));
