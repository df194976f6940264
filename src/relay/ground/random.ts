import { randomBytes } from 'node:crypto';

/** Injected randomness. `bytes` is suitable for secrets; `fraction` (0 to 1, exclusive) is for jitter only. */
export abstract class Random {
  abstract bytes(size: number): Buffer;
  abstract fraction(): number;
}

export const systemRandom: Random = { bytes: (size) => randomBytes(size), fraction: () => Math.random() };
