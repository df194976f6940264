import { statSync } from 'node:fs';
import { WriteAheadLog } from '../../../src/relay/database/sqlite/writer/write-ahead-log';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { until } from '../../support/until';
import { draft, ScratchJournal, to } from '../../support/daemon/scratch-journal';

const MIB = 1024 * 1024;
const LIMIT = 64 * MIB;

describe('the write-ahead log', () => {
  let scratch: ScratchJournal;
  let stored = 0;

  beforeEach(async () => {
    scratch = await ScratchJournal.openWithThreads();
    stored = 0;
  });

  afterEach(() => scratch.remove());

  const append = (body?: Buffer) => {
    stored += 1;
    return scratch.journal.append(draft(stored, body && { body }), to());
  };
  const size = () => statSync(`${scratch.file}-wal`).size;

  it('shrinks with the next commits once a long read that prevented its restart has ended', async () => {
    const reader = new sqliteDriver(scratch.file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    const body = Buffer.alloc(2 * MIB, 'x');
    while (size() < LIMIT + 32 * MIB) await append(body);
    reader.exec('COMMIT');
    reader.close();
    await until('the log is truncated', async () => {
      await append();
      return size() <= LIMIT;
    });
    expect(scratch.count('events')).toBe(stored);
  });

  it('stays within its limit while no read prevents its restart', async () => {
    const body = Buffer.alloc(2 * MIB, 'x');
    for (let n = 0; n < 90; n += 1) {
      await append(body);
      // Events are still appended during a slow checkpoint on a busy disk.
      if (size() > LIMIT + 32 * MIB)
        await until('the log is restarted', async () => {
          await append();
          return size() <= LIMIT;
        });
    }
    expect(size()).toBeLessThan(LIMIT + 64 * MIB);
  });

  it('is restarted by its content, not by its file size, and again only once a reader has ended or much was added', async () => {
    await scratch.close();
    const writer = new sqliteDriver(scratch.file);
    writer.pragma('wal_autocheckpoint = 0');
    writer.exec('CREATE TABLE filling(bytes BLOB)');
    const pragmas: string[] = [];
    const pragma = writer.pragma.bind(writer);
    writer.pragma = (text, options) => (pragmas.push(text), pragma(text, options));
    const log = new WriteAheadLog(writer);
    const store = writer.prepare('INSERT INTO filling VALUES (zeroblob(?))');
    const restartsAfter = (bytes: number, times: number) => {
      pragmas.splice(0);
      for (let n = 0; n < times; n += 1) {
        store.run(bytes);
        log.afterCommit();
      }
      return pragmas.filter((text) => text === 'wal_checkpoint(RESTART)').length;
    };

    expect(restartsAfter(8 * MIB, 9)).toBe(1);
    // The next commit truncates it to its limit, and it keeps that size.
    expect(restartsAfter(100, 20)).toBe(0);
    expect(size()).toBeGreaterThan(LIMIT * 0.99);

    const reader = new sqliteDriver(scratch.file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM filling').get();
    expect(restartsAfter(8 * MIB, 7)).toBe(1);
    expect(restartsAfter(100, 20)).toBe(0);
    expect(restartsAfter(9 * MIB, 2)).toBe(1);
    reader.close();
    writer.close();
  });
});
