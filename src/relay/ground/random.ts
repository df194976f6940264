import { randomBytes } from 'node:crypto';

/** Randomness as it is handed in. `bytes` is fit for secrets; `fraction` (0 to 1, 1 excluded) is for jitter only. */
export abstract class Random {
  abstract bytes(size: number): Buffer;
  abstract fraction(): number;
}

export const systemRandom: Random = { bytes: (size) => randomBytes(size), fraction: () => Math.random() };
