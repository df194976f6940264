import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backup } from '../../../src/contract/backup';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { damage } from '../../support/daemon/damage';
import { Daemon } from '../../support/daemon/daemon';
import { runCommand, runJson } from '../../support/daemon/run-command';
import { FakeCopilot } from '../../support/fakes/copilot';

const OTHER_KEY = Buffer.alloc(32, 'k').toString('base64');

describe('switchboard restore', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-restore-'));
  const file = join(folder, 'backup.db');
  const dataDir = join(folder, 'data');
  let upstream: FakeCopilot;
  let daemon: Daemon;
  let backup: Backup;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.startConnected({ upstream });
    await fetch(`${daemon.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: daemon.url },
      body: JSON.stringify({ token: daemon.token }),
    });
    backup = await runJson<Backup>(daemon.dataDir, 'backup', file);
  });

  beforeEach(() => {
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(join(daemon.dataDir, 'secret.key'), join(dataDir, 'secret.key'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true });
  });

  const restore = (from = file, environment = {}) => runCommand(dataDir, ['restore', from], environment);
  const expectRefused = async (message: RegExp, from = file, environment = {}) => {
    const before = readdirSync(dataDir).filter((name) => !name.includes('lock'));
    const { code, err } = await restore(from, environment);
    expect(err).toMatch(message);
    expect(code).toBe(78);
    expect(readdirSync(dataDir).filter((name) => !name.includes('lock'))).toEqual(before);
  };
  /** A copy of the backup, changed. */
  const altered = (sql: string) => {
    const changed = join(folder, 'altered.db');
    copyFileSync(file, changed);
    const connection = new sqliteDriver(changed);
    connection.exec(sql);
    connection.close();
    return changed;
  };
  const inRestored = <Row>(sql: string): Row[] => {
    const connection = new sqliteDriver(join(dataDir, 'switchboard.db'), { readonly: true });
    try {
      return connection.prepare<[], Row>(sql).all();
    } finally {
      connection.close();
    }
  };

  it('states what is lost, repeated and different, and ends all sessions', async () => {
    expect(daemon.rows('SELECT 1 FROM sessions')).toHaveLength(1);
    const { code, out } = await restore();
    expect(code).toBe(0);
    for (const [topic, sentence] of [
      ['lost', 'Events received after [-\\d]+T[:.\\d]+Z are missing'],
      ['duplicates', 'are sent once more, with the same webhook-id'],
      ['cursors', `next event gets the seq ${backup.newest_seq + 1}, .* new instance id`],
      ['connection', 'Co-Pilot rejects this one .* connect again with switchboard connect'],
      ['access', 'All sessions were ended'],
    ])
      expect(out).toMatch(new RegExp(`^${topic} +.*${sentence}`, 'm'));
    expect(inRestored('SELECT * FROM sessions')).toEqual([]);
    const [instance] = inRestored<{ tag: number; restores: string }>('SELECT tag, restores FROM instance');
    const [original] = daemon.rows<{ tag: number }>('SELECT tag FROM instance');
    expect(instance!.tag).not.toBe(original!.tag);
    expect(JSON.parse(instance!.restores)).toMatchObject([
      { tag: original!.tag, through_seq: backup.newest_seq },
    ]);
  });

  it('is refused where a daemon runs', async () => {
    const { code, err } = await runCommand(daemon.dataDir, ['restore', file]);
    expect(err).toMatch(/There is a database already.*a restore never replaces one/);
    expect(code).toBe(78);
  });

  it('is refused while another process holds the lock of an empty folder', async () => {
    const lock = new sqliteDriver(join(dataDir, 'lock'));
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    try {
      await expectRefused(/Another Switchboard is using/);
    } finally {
      lock.close();
    }
  });

  it('is refused into a folder with other files', async () => {
    writeFileSync(join(dataDir, 'notes.txt'), '');
    await expectRefused(/is not empty \(notes\.txt\)/);
  });

  it('is refused without the secret key, and says where to put it', async () => {
    rmSync(join(dataDir, 'secret.key'));
    await expectRefused(/The secret key is missing.*secret\.key, or set SWITCHBOARD_SECRET_KEY/s);
  });

  it('is refused with another secret key', async () => {
    await expectRefused(/not the one that this database was encrypted with/, file, {
      SWITCHBOARD_SECRET_KEY: OTHER_KEY,
    });
  });

  it.each([
    [
      'that a newer version has made',
      () => altered(`INSERT INTO migrations(timestamp, name) VALUES (9, 'Tomorrow')`),
      /written by a newer Switchboard \(Tomorrow\)/,
    ],
    [
      'that is not a database',
      () => {
        writeFileSync(join(folder, 'text'), 'not a database, but a text that is long enough for its header');
        return join(folder, 'text');
      },
      /cannot be read as a database \(SQLITE_NOTADB/,
    ],
    [
      'that is the database of another program',
      () => {
        rmSync(join(folder, 'other.db'), { force: true });
        const other = new sqliteDriver(join(folder, 'other.db'));
        other.exec('CREATE TABLE something(a)');
        other.close();
        return join(folder, 'other.db');
      },
      /is not a database of Switchboard/,
    ],
    ['that does not exist', () => join(folder, 'missing.db'), /missing\.db is not a file/],
    [
      'that fails the integrity check',
      () => {
        const damaged = altered('');
        damage(damaged);
        return damaged;
      },
      /The backup is damaged.*NULL value in damaged\.a/,
    ],
    [
      'whose write-ahead log lies next to it',
      () => {
        const live = join(folder, 'live.db');
        copyFileSync(file, live);
        writeFileSync(`${live}-wal`, 'newer pages');
        return live;
      },
      /has a write-ahead log, live\.db-wal: it is the database of a daemon/,
    ],
  ])('refuses a file %s', async (_, make, message) => {
    await expectRefused(message, make());
  });

  it('restores inconsistent data, and says so with exit code 65', async () => {
    const { code, out } = await restore(
      altered('INSERT INTO dead_letter_counts(target, count) VALUES (77, 3)'),
    );
    expect(code).toBe(65);
    expect(out).toContain('The consistency check found problems in the data (1)');
    expect(existsSync(join(dataDir, 'switchboard.db'))).toBe(true);
  });
});
