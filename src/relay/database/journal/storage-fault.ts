import { describeMachineFault } from '../../ground/machine-faults';

/** What is wrong with the storage, for the sentence of an alert, and what to do about it. */
export interface StorageFault {
  what: string;
  remedy: string;
  /** Whether it usually ends without an operator: it is critical only once it has lasted. */
  isTemporary: boolean;
}

/** Where the data is stored, as `Settings` says it. */
interface Storage {
  databaseFile: string;
  /** Null with SQLite. */
  postgresUrl: string | null;
}

/** No connection, a connection that broke, and a server that starts or stops; or a lock. */
const TEMPORARY =
  /^(SQLITE_(BUSY|LOCKED|PROTOCOL)|TOO_LATE|08|57P|40|55P03|E[A-Z]+$|Error: (Connection terminated|timeout exceeded|Query read timeout))/;
const LASTING = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EIO|ENOMEM)/;

/**
 * What is wrong and what to do, by a pattern for the codes of SQLite, SQLSTATEs, and codes of the operating system.
 * The first that fits; `FILE` is the database file.
 */
const CASES: readonly (readonly [codes: RegExp, what: string, remedy: string])[] = [
  [
    /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    'another program locks the database file FILE',
    'End the program that has FILE open, such as a database browser with unsaved changes, a script or a backup tool; "fuser FILE" lists the processes.',
  ],
  [/^TOO_LATE/, 'the disk is too slow', 'Find out what keeps the disk of the database busy.'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'the disk of the database is full', 'Free disk space.'],
  [
    /^SQLITE_READONLY_DBMOVED/,
    'the database file FILE was moved, removed or replaced while the daemon runs',
    'Put the former file back, and restart the daemon. If it was removed, copy it from /proc/<pid>/fd before the daemon ends.',
  ],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS)/,
    'the database file cannot be written',
    'Check that FILE and its folder exist and belong to the user of the daemon, and that the file system is not mounted read-only.',
  ],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'the database file is damaged', 'Stop the daemon, and restore a backup.'],
  [/^(SQLITE_NOMEM|ENOMEM)/, 'there is no free memory', 'Free memory.'],
  [
    /^(SQLITE_IOERR|EIO)/,
    'the disk reports errors',
    'Look for disk errors in the log of the operating system, and repair or replace the disk.',
  ],
  [/^53100/, 'the disk of the PostgreSQL server is full', 'Free disk space there.'],
  [
    /^53300/,
    'the PostgreSQL server has no free connection',
    'Raise max_connections of the server, or let other programs open fewer connections.',
  ],
  [
    /^25006/,
    'the PostgreSQL server is a read-only standby',
    'Promote it, or let DATABASE_URL lead to the primary.',
  ],
  [
    /^(28|3D)/,
    'the PostgreSQL server rejects the user, the password or the database of DATABASE_URL',
    'Correct them at the server, or DATABASE_URL, and restart.',
  ],
];

const UNKNOWN = {
  sqlite: ['', 'the database could not be written', 'Check the disk of the database.'],
  postgres: [
    '',
    'the PostgreSQL server does not respond, or another session locks what is to be written',
    'Check that the server runs, is reachable from here and is not overloaded; pg_locks lists the locks. The daemon continues by itself once it responds.',
  ],
} as const;

/** At a connection to the server. Other codes of this machine mean the disk. */
const MACHINE_FAULT = /^(EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ENETDOWN)$/;

/** @param code as `DiskFailures` or the outcome of an event has it */
export function describeStorageFault(code: string, { databaseFile, postgresUrl }: Storage): StorageFault {
  const isTemporary = TEMPORARY.test(code) && !LASTING.test(code);
  if (MACHINE_FAULT.test(code)) return { ...describeMachineFault(code)!, isTemporary };
  const unknown = UNKNOWN[postgresUrl === null ? 'sqlite' : 'postgres'];
  const [, what, remedy] = CASES.find(([codes]) => codes.test(code)) ?? unknown;
  const withFile = (text: string) => text.replaceAll('FILE', () => databaseFile);
  return { what: withFile(what), remedy: withFile(remedy), isTemporary };
}
