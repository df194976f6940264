import { pino } from 'pino';
import { describeStorageFault } from '../../../src/relay/database/journal/storage-fault';
import { notStoredAlert } from '../../../src/relay/intake/not-stored-alert';
import { NotStoredWorker } from '../../../src/relay/intake/not-stored.worker';
import { FixedClock } from '../../support/clock';

const SQLITE = { databaseFile: '/data/switchboard.db', postgresUrl: null };
const POSTGRES = {
  databaseFile: '/data/switchboard.db',
  postgresUrl: 'postgres://user:password@host/database',
};

const alertFor = (code: string, storage: typeof SQLITE | typeof POSTGRES, lastsMs = 0) =>
  notStoredAlert('storage', describeStorageFault(code, storage), lastsMs);

describe('the alert for notifications that were not stored', () => {
  it.each([
    [
      'SQLITE_BUSY',
      SQLITE,
      /another program locks the database file \/data\/switchboard\.db/,
      /End the program/,
    ],
    ['SQLITE_FULL', SQLITE, /the disk of the database is full/, /^Free disk space\./],
    ['SQLITE_IOERR_WRITE', SQLITE, /the disk reports errors/, /repair or replace the disk/],
    ['SQLITE_READONLY_DIRECTORY', SQLITE, /cannot be written/, /belong to the user of the daemon/],
    ['SQLITE_READONLY_DBMOVED', SQLITE, /was moved, removed or replaced/, /Put the former file back/],
    ['SQLITE_CORRUPT_INDEX', SQLITE, /damaged/, /restore a backup/],
    ['TOO_LATE', SQLITE, /the disk is too slow/, /keeps the disk of the database busy/],
    ['SQLITE_SOMETHING', SQLITE, /the database could not be written/, /Check the disk/],
    ['ECONNREFUSED', POSTGRES, /the PostgreSQL server does not respond/, /continues by itself/],
    ['57P01', POSTGRES, /the PostgreSQL server does not respond/, /continues by itself/],
    ['53100', POSTGRES, /the disk of the PostgreSQL server is full/, /^Free disk space there\./],
    ['53300', POSTGRES, /no free connection/, /max_connections/],
    ['25006', POSTGRES, /read-only standby/, /Promote it/],
    ['28P01', POSTGRES, /rejects the user/, /Correct them/],
  ])('names the cause of %s and its remedy', (code, storage, sentence, remedy) => {
    const alert = alertFor(code, storage);
    expect(alert.sentence).toMatch(sentence);
    expect(alert.remedy).toMatch(remedy);
    expect(JSON.stringify(alert)).not.toContain('password@');
  });

  it.each([
    'SQLITE_BUSY',
    'ECONNREFUSED',
    'ETIMEDOUT',
    '57P03',
    '08006',
    'Error: Connection terminated',
    'TOO_LATE',
  ])(
    'is critical only once %s has lasted for longer than Co-Pilot retries, since the retries may be stored',
    (code) => {
      const storage = code.startsWith('SQLITE') ? SQLITE : POSTGRES;
      expect(alertFor(code, storage, 29_999).severity).toBe('warning');
      expect(alertFor(code, storage, 30_000).severity).toBe('critical');
    },
  );

  it.each(['SQLITE_FULL', 'SQLITE_CORRUPT', '53100', 'ENOSPC', 'EACCES', '28P01'])(
    'is critical at once for %s, which does not end by itself',
    (code) => {
      expect(alertFor(code, POSTGRES).severity).toBe('critical');
    },
  );
});

it('notifications that are not stored again a minute later are a new period', () => {
  const clock = new FixedClock(0);
  const raised: string[] = [];
  const worker = new NotStoredWorker(
    { count: () => undefined } as never,
    { raise: ({ severity }: { severity: string }) => raised.push(severity) } as never,
    clock,
    { leads: true } as never,
    { onMessage: () => undefined } as never,
    SQLITE as never,
    pino({ level: 'silent' }),
  );
  for (const passed of [0, 20_000, 20_000, 59_000, 60_000]) {
    clock.time += passed;
    worker.add('storage', 'SQLITE_BUSY');
    worker.report();
  }
  expect(raised).toEqual(['warning', 'warning', 'critical', 'critical', 'warning']);
});
