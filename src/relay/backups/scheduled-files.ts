import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openReading } from '../database/sqlite/sqlite-driver';
import type { Backup } from '../../contract/backup';
import { removePartials } from './partial-files';

/** A backup that this instance made on schedule. */
export interface ScheduledFile {
  path: string;
  /** Ms since 1970. */
  at: number;
}

const SUFFIX = '.db';

/**
 * The files that an instance makes in a folder contain its id in their names, so instances can share a folder and
 * remove only their own files.
 */
export class ScheduledFiles {
  private readonly prefix: string;

  /** @param tag the id of the instance */
  constructor(
    private readonly folder: string,
    tag: number,
  ) {
    this.prefix = `switchboard-${tag.toString(16).padStart(10, '0')}-`;
  }

  /** Its name sorts by time: `switchboard-0123456789-20261123T031500Z.db`. */
  pathAt(at: number): string {
    const time = new Date(at).toISOString().replace(/\.\d+|[-:]/g, '');
    return join(this.folder, this.prefix + time + SUFFIX);
  }

  /** Newest first. @throws the system's error if the folder cannot be read */
  async list(): Promise<ScheduledFile[]> {
    const names = (await readdir(this.folder)).toSorted().toReversed();
    return names.flatMap((name) => {
      const at = this.timeIn(name);
      return at === null ? [] : [{ path: join(this.folder, name), at }];
    });
  }

  removePartials(): Promise<void> {
    return removePartials(this.folder, (name) => this.timeIn(name) !== null);
  }

  private timeIn(name: string): number | null {
    if (!name.startsWith(this.prefix)) return null;
    const time = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name.slice(this.prefix.length));
    if (time === null) return null;
    const [, year, month, day, hour, minute, second] = time;
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  }
}

/** Those beyond the newest `keep`, but never the newest one whose data is consistent. */
export function filesToRemove(newestFirst: readonly ScheduledFile[], keep: number): ScheduledFile[] {
  const verified = newestFirst.find(({ path }) => isConsistent(path));
  return newestFirst.slice(keep).filter((file) => file !== verified);
}

/** Whether the backup says so itself; false if it cannot be read. */
function isConsistent(file: string): boolean {
  try {
    const connection = openReading(file);
    try {
      const text = connection.prepare('SELECT last_backup FROM instance').pluck().get() as string;
      return (JSON.parse(text) as Backup).findings === 0;
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}
