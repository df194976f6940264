import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { lockFolder } from './lock-folder';
import { StateError } from './state-error';

/** Raised when a program of before could no longer make sense of the file. */
const FORMAT = 1;

const envelope = z.object({ format: z.number() });
const content = envelope.extend({ stores: z.record(z.string(), z.unknown()) });

/** What each store is to take back, by the store's name. */
export type Snapshots = Record<string, unknown>;

/** The file that holds the state of one sandbox, in a folder of its own. It holds secrets: mode 600. */
export class StateFile {
  private constructor(
    private readonly folder: string,
    private readonly unlock: () => void,
  ) {}

  /** @throws StateRefused when another sandbox has the folder, or it cannot be written */
  static open(folder: string): StateFile {
    return new StateFile(folder, lockFolder(folder));
  }

  get path(): string {
    return join(this.folder, 'sandbox.json');
  }

  /**
   * What was written last; nothing where nothing was.
   * @throws StateRefused when the file is damaged, or was written by a newer program
   */
  read(): Snapshots {
    let text;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return {};
      throw new StateError(`${this.path} cannot be read (${code}).`, 'Let this user read it.');
    }
    const found = envelope.safeParse(parseJson(text));
    if (found.success && found.data.format > FORMAT) {
      throw new StateError(
        `${this.path} was written by a newer sandbox (format ${found.data.format}; this one knows ${FORMAT}).`,
        'Run that version, or name another folder.',
      );
    }
    const { success, data } = content.safeParse(parseJson(text));
    if (!success) throw this.damaged();
    return data.stores;
  }

  /** Puts the snapshots in place of those before. Whatever happens meanwhile, the file is the old or the new one, whole. */
  async write(stores: Snapshots): Promise<void> {
    const fresh = `${this.path}.new`;
    const file = await open(fresh, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify({ format: FORMAT, stores }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, this.path);
    // The new name is durable only once its folder is.
    const folder = await open(this.folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Leaves the folder to others. */
  close(): void {
    this.unlock();
  }

  damaged(): StateError {
    return new StateError(
      `${this.path} is damaged.`,
      'Put a good copy in its place, or move it away to begin anew: applications and webhooks are then to be made again.',
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
