import { timingSafeEqual } from 'node:crypto';

/** Compares in a time that tells only whether the lengths differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
