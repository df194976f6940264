import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { lockFolder } from './lock-folder';
import { StateError } from './state-error';

/** Increased with every incompatible change. */
const FORMAT = 2;

const envelope = z.object({ format: z.number() });
const content = envelope.extend({ stores: z.record(z.string(), z.unknown()) });

/** Snapshots by the name of their store. */
export type Snapshots = Record<string, unknown>;

/** The file with the state of one sandbox. It contains secrets, so its mode is 600. */
export class StateFile {
  private constructor(
    private readonly folder: string,
    private readonly unlock: () => void,
  ) {}

  /** @throws StateError if the folder is in use or not writable */
  static open(folder: string): StateFile {
    return new StateFile(folder, lockFolder(folder));
  }

  get path(): string {
    return join(this.folder, 'sandbox.json');
  }

  /**
   * The latest snapshots; empty if there is no file yet.
   * @throws StateError if the file is damaged or has another format
   */
  read(): Snapshots {
    let text;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return {};
      throw new StateError(`${this.path} cannot be read (${code}).`, 'Make it readable for this user.');
    }
    const found = envelope.safeParse(parseJson(text));
    if (found.success && found.data.format !== FORMAT) {
      throw new StateError(
        `${this.path} was written by another version (format ${found.data.format}; this one reads ${FORMAT}).`,
        'Run that version, or use another folder.',
      );
    }
    const { success, data } = content.safeParse(parseJson(text));
    if (!success) throw this.damaged();
    return data.stores;
  }

  /** Replaces the file atomically. */
  async write(stores: Snapshots): Promise<void> {
    // Before anything is awaited: the stores may share objects with their snapshots.
    const text = JSON.stringify({ format: FORMAT, stores });
    const fresh = `${this.path}.new`;
    const file = await open(fresh, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, this.path);
    // The rename is durable only after the folder has been synced.
    const folder = await open(this.folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Releases the folder. */
  close(): void {
    this.unlock();
  }

  damaged(): StateError {
    return new StateError(
      `${this.path} is damaged.`,
      'Restore a backup, or move it away to start over: applications and webhooks must then be created again.',
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
