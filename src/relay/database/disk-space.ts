import { statfs } from 'node:fs/promises';

const GIB = 1024 ** 3;

/** In bytes. */
export interface DiskCapacity {
  free: number;
  total: number;
}

/** Space is low below this: 5 % of the disk, at most 5 GiB, and at least 1 GiB on a disk of 10 GiB or more. */
export const lowThreshold = (total: number): number =>
  Math.min(5 * GIB, Math.max(total / 20, Math.min(GIB, total / 10)));

/** Below this, space must be freed: writes are about to fail. */
export const criticalThreshold = (total: number): number => lowThreshold(total) / 4;

/** The disk that holds the database. */
export class DiskSpace {
  constructor(private readonly folder: string) {}

  /** Null where the system does not report it. */
  async read(): Promise<DiskCapacity | null> {
    const disk = await statfs(this.folder).catch(() => null);
    return disk && { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize };
  }
}
