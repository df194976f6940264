import { statfs } from 'node:fs/promises';

const GIB = 1024 ** 3;

/** What a disk has, in bytes. */
export interface DiskRoom {
  free: number;
  total: number;
}

/** Less than this is little: a twentieth of the disk, but no more than 5 GiB and, on a disk of ten or more, no less than one. */
export const lowMark = (total: number): number =>
  Math.min(5 * GIB, Math.max(total / 20, Math.min(GIB, total / 10)));

/** Less than this is so little that room has to be made: writes are about to fail. */
export const criticalMark = (total: number): number => lowMark(total) / 4;

/** The disk that holds the database. */
export class DiskSpace {
  constructor(private readonly folder: string) {}

  /** Null where the system does not tell. */
  async read(): Promise<DiskRoom | null> {
    const disk = await statfs(this.folder).catch(() => null);
    return disk && { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize };
  }
}
