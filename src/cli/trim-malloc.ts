import type { Connection } from '../relay/database/sqlite/sqlite-driver';

type Extendable = Connection & { loadExtension(library: string, entryPoint: string): void };

/**
 * Lets glibc return the free pages between those in use (malloc_trim(3)), which takes 4 ms. Node has no function for it,
 * but SQLite calls any function of a library as an "extension". Its first argument is then an address, which
 * malloc_trim takes for the number of free bytes to keep at the end of the heap. Other C libraries have no such function.
 */
export async function trimMalloc(): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    // With PostgreSQL there may be no driver.
    const { sqliteDriver } = await import('../relay/database/sqlite/sqlite-driver.js');
    const connection = new sqliteDriver(':memory:') as Extendable;
    try {
      connection.loadExtension('libc.so.6', 'malloc_trim');
    } finally {
      connection.close();
    }
  } catch {
    // It returned 1, for memory that was returned, which SQLite takes for an error; or there is nothing to call.
  }
}
