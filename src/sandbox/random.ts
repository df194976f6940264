/** Returns `size` random bytes; replaced in tests to make traffic reproducible. */
export type RandomBytes = (size: number) => Buffer;

/** 256 random bits in URL-safe characters, for codes, tokens and secrets. */
export function randomSecret(random: RandomBytes): string {
  return random(32).toString('base64url');
}

/** An integer from 0 to `limit` - 1. The modulo bias is negligible up to 10 digits. */
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
