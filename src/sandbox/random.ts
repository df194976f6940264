import { randomBytes } from 'node:crypto';

/** A source of `size` random bytes; passed in, so that tests can have the same traffic twice. */
export type RandomBytes = (size: number) => Buffer;

/** Randomness of the operating system, fit for secrets. */
export const systemRandomBytes: RandomBytes = (size) => randomBytes(size);

/** 256 unguessable bits in letters that need no escaping anywhere: codes, tokens, secrets. */
export function randomSecret(random: RandomBytes): string {
  return random(32).toString('base64url');
}

/** A whole number from 0 to `limit` - 1; `limit` at most 10 digits, so that the remainder's bias is nothing. */
export function randomBelow(random: RandomBytes, limit: number): number {
  return random(6).readUIntBE(0, 6) % limit;
}

/** One of `items`, which must not be empty. */
export function pickOne<T extends readonly [unknown, ...unknown[]]>(
  random: RandomBytes,
  items: T,
): T[number] {
  return items[randomBelow(random, items.length)] ?? items[0];
}
