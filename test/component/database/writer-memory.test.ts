import { trimMalloc } from '../../../src/cli/trim-malloc';
import { SqliteWriter } from '../../../src/relay/database/sqlite/writer/writer';
import { ScratchJournal } from '../../support/daemon/scratch-journal';

const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
const MIB = 2 ** 20;

async function residentSize(): Promise<number> {
  await trimMalloc();
  return process.memoryUsage.rss();
}

// Other C libraries return memory at other times.
if (header.glibcVersionRuntime !== undefined)
  it('an idle writer frees the pages that it caches', async () => {
    const scratch = await ScratchJournal.openWithThreads();
    await scratch.close();
    const writer = new SqliteWriter(scratch.file);
    try {
      const connection = writer['connection'];
      connection.exec(`CREATE TABLE large AS
        WITH RECURSIVE rows(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 20000)
        SELECT n, zeroblob(3000) FROM rows`);
      const full = await residentSize();
      writer.releaseMemory();
      expect(full - (await residentSize())).toBeGreaterThan(30 * MIB);
    } finally {
      writer.close();
    }
  });
