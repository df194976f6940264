import { statSync } from 'node:fs';
import { sqliteDriver } from '../harness/built';
import { until } from '../harness/until';
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
    let most = 0;
    for (let n = 0; n < 90; n += 1) {
      await append(body);
      most = Math.max(most, size());
    }
    expect(most).toBeLessThan(LIMIT + 64 * MIB);
  });
});
