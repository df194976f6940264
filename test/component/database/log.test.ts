import { statSync } from 'node:fs';
import { SqliteLog } from '../../../src/relay/database/writer/wal';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { until } from '../../support/until';
import { draft, ScratchJournal, to } from './scratch-journal';

const MIB = 1024 * 1024;
const LIMIT = 64 * MIB;

describe('the log beside the database', () => {
  let scratch: ScratchJournal;
  let stored = 0;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
    stored = 0;
  });

  afterEach(() => scratch.remove());

  const append = (body?: Buffer) => {
    stored += 1;
    return scratch.journal.append(draft(stored, body && { body }), to());
  };
  const size = () => statSync(`${scratch.file}-wal`).size;

  it('shrinks again, with what is stored next, once the long read that held it has ended', async () => {
    const reader = new sqliteDriver(scratch.file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    const body = Buffer.alloc(2 * MIB, 'x');
    while (size() < LIMIT + 32 * MIB) await append(body);
    reader.exec('COMMIT');
    reader.close();
    await until('the log is cut', async () => {
      await append();
      return size() <= LIMIT;
    });
    expect(scratch.count('events')).toBe(stored);
  });

  it('stays within its limit while nothing holds it', async () => {
    const body = Buffer.alloc(2 * MIB, 'x');
    for (let n = 0; n < 90; n += 1) {
      await append(body);
      // A checkpoint on a disk that is busy takes its time: what comes meanwhile is still added.
      if (size() > LIMIT + 32 * MIB)
        await until('the log is begun anew', async () => {
          await append();
          return size() <= LIMIT;
        });
    }
    expect(size()).toBeLessThan(LIMIT + 64 * MIB);
  });

  it('is begun anew for what it holds, not for how long its file is, and again only once a reader let it go or much came', async () => {
    await scratch.shut();
    const writer = new sqliteDriver(scratch.file);
    writer.pragma('wal_autocheckpoint = 0');
    writer.exec('CREATE TABLE filling(bytes BLOB)');
    const asked: string[] = [];
    const pragma = writer.pragma.bind(writer);
    writer.pragma = (text, options) => (asked.push(text), pragma(text, options));
    const log = new SqliteLog(writer);
    const store = writer.prepare('INSERT INTO filling VALUES (zeroblob(?))');
    const begunBy = (bytes: number, times: number) => {
      asked.splice(0);
      for (let n = 0; n < times; n += 1) {
        store.run(bytes);
        log.afterCommit();
      }
      return asked.filter((text) => text === 'wal_checkpoint(RESTART)').length;
    };

    expect(begunBy(8 * MIB, 9)).toBe(1);
    // It is cut to its limit with what comes next, and stays so long.
    expect(begunBy(100, 20)).toBe(0);
    expect(size()).toBeGreaterThan(LIMIT * 0.99);

    const reader = new sqliteDriver(scratch.file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM filling').get();
    expect(begunBy(8 * MIB, 7)).toBe(1);
    expect(begunBy(100, 20)).toBe(0);
    expect(begunBy(9 * MIB, 2)).toBe(1);
    reader.close();
    writer.close();
  });
});
