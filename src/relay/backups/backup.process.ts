import { setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Backup } from '../../contract/backup';
import { copyDatabase, CopyDamaged, openCopy, removeCopy, syncFile } from '../database/sqlite/database-copy';
import { describeCopy, storeLatestBackup } from './describe-copy';
import type { CopyReport, CopyRequest } from './run-copy';

/** Copying uses much of a core, which notifications need more. */
const PRIORITY = 10;

/**
 * Copies the database and verifies the copy. A process of its own, because copying may take minutes and only the end
 * of its process can interrupt it. If the daemon ends first, the copy is removed.
 */
try {
  setPriority(PRIORITY);
} catch {
  // It runs at normal priority.
}

process.once('message', (request: CopyRequest) => void answer(request));

async function answer(request: CopyRequest): Promise<void> {
  const removeAndExit = () => {
    removeCopy(request.copy);
    process.exit();
  };
  process.once('disconnect', removeAndExit);
  const outcome = await run(request);
  process.off('disconnect', removeAndExit);
  process.send!(outcome, (error: Error | null) => (error === null ? process.exit() : removeAndExit()));
}

async function run(request: CopyRequest): Promise<CopyReport> {
  try {
    return { done: await makeCopy(request) };
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as { code?: string; message: string };
    return { failed: { code: error instanceof CopyDamaged ? 'COPY_DAMAGED' : code, message } };
  }
}

async function makeCopy({ database, copy, file, at }: CopyRequest): Promise<Backup> {
  copyDatabase(database, copy);
  // If the daemon has ended, sending fails, and the event `disconnect` follows in the next turn.
  process.send!({ verifying: true } satisfies CopyReport, () => undefined);
  await nextTurn();
  const connection = openCopy(copy);
  try {
    const backup = await describeCopy(connection, file, at);
    const [sql, parameters] = storeLatestBackup(backup);
    connection.prepare(sql).run(...parameters);
    return backup;
  } finally {
    connection.close();
    syncFile(copy);
  }
}
