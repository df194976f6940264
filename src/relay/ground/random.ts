import { randomBytes } from 'node:crypto';

/** Injected randomness. `bytes` is suitable for secrets; `fraction` (0 to 1, exclusive) is for jitter only. */
export abstract class Random {
  abstract bytes(size: number): Buffer;
  abstract fraction(): number;
}

export const systemRandom: Random = { bytes: pooledBytes, fraction: () => Math.random() };

/** A call of the generator costs as much as a thousand bytes of it. */
const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

function pooledBytes(size: number): Buffer {
  if (size > POOL_BYTES) return randomBytes(size);
  if (size > pool.length) pool = randomBytes(POOL_BYTES);
  const bytes = Buffer.from(pool.subarray(0, size));
  pool = pool.subarray(size);
  return bytes;
}
