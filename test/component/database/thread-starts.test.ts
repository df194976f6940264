import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteReader } from '../../../src/relay/database/sqlite/sqlite-reader';
import { TextIndex } from '../../../src/relay/database/sqlite/text-index/text-index';
import type { Log } from '../../../src/relay/ground/log';
import { draft, ScratchJournal, to } from '../../support/daemon/scratch-journal';
import { until } from '../../support/until';

describe('a thread that cannot start', () => {
  let scratch: ScratchJournal;

  beforeEach(async () => {
    scratch = await ScratchJournal.openWithThreads();
  });

  afterEach(() => scratch.remove());

  it('for reads says why', async () => {
    const reader = new SqliteReader(`${scratch.file}-missing`);
    await expect(reader.all(['SELECT 1', []])).rejects.toMatchObject({
      message: 'unable to open database file',
      code: 'SQLITE_CANTOPEN',
    });
    await reader.close();
  });

  it('for checkpoints neither ends the daemon nor delays deliveries, and is started again', async () => {
    const folder = dirname(scratch.file);
    const failures: (string | null)[] = [];
    scratch.journal.onDiskFailure((part, code) => void (part === 'checkpoint' && failures.push(code)));
    // The thread starts after this commit; nothing is stored in a file that has been moved.
    await scratch.journal.append({ ...draft(1), body: Buffer.alloc(2 ** 20) }, to(1));
    renameSync(folder, `${folder}-away`);
    await until('its start has failed', () => failures.length === 1);
    expect(failures[0]).not.toBeNull();
    expect(await scratch.journal.takeDue(1, 0, scratch.clock.time, 1)).toHaveLength(1);
    renameSync(`${folder}-away`, folder);
    let events = 1;
    await until('the log is copied', async () => {
      await scratch.journal.append(draft((events += 1)), to());
      return failures.at(-1) === null;
    });
  });

  it('for the text index is started again, and texts are then found through it', async () => {
    const indexFile = scratch.file.replace('.db', '-search.db');
    mkdirSync(indexFile);
    const logged: string[] = [];
    const log = { warn: (_: unknown, text: string) => void logged.push(text) } as unknown as Log;
    const index = new TextIndex(scratch.file, scratch.reader, scratch.journal, log);
    try {
      await scratch.journal.append(draft(1), to());
      index.onListening();
      await until('its start has failed', () => logged.length === 1);
      expect(await index.find('deal.updated')).toBeNull();
      rmSync(indexFile, { recursive: true });
      await until('it has an index', async () => (await index.find('deal.updated')) !== null);
      expect(logged).toEqual(['the thread of the text index failed and will be started again']);
    } finally {
      await index.onModuleDestroy();
    }
  });
});
