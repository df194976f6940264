import { describeMachineFault } from '../ground/machine-faults';

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

type Case = [codes: RegExp, fault: (storage: Storage) => Omit<StorageFault, 'isTemporary'>];

/** No connection, a connection that broke, and a server that starts or stops; or a lock. */
const TEMPORARY = /^(SQLITE_(BUSY|LOCKED|PROTOCOL)|TOO_LATE|08|57P|40|55P03|E[A-Z]+$|terminated)/;
const LASTING = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EIO|ENOMEM)/;

/** The codes are those of SQLite, SQLSTATEs, and those of the operating system. The first case that fits. */
const CASES: readonly Case[] = [
  [
    /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    ({ databaseFile }) => ({
      what: `another program locks the database file ${databaseFile}`,
      remedy: `End the program that has ${databaseFile} open, such as a database browser with unsaved changes, a script or a backup tool; "fuser ${databaseFile}" lists the processes.`,
    }),
  ],
  [
    /^TOO_LATE/,
    () => ({ what: 'the disk is too slow', remedy: 'Find out what keeps the disk of the database busy.' }),
  ],
  [
    /^(SQLITE_FULL|ENOSPC|EDQUOT)/,
    () => ({ what: 'the disk of the database is full', remedy: 'Free disk space.' }),
  ],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS)/,
    ({ databaseFile }) => ({
      what: 'the database file cannot be written',
      remedy: `Check that ${databaseFile} and its folder exist and belong to the user of the daemon, and that the file system is not mounted read-only.`,
    }),
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    () => ({ what: 'the database file is damaged', remedy: 'Stop the daemon, and restore a backup.' }),
  ],
  [/^SQLITE_NOMEM|^ENOMEM/, () => ({ what: 'there is no free memory', remedy: 'Free memory.' })],
  [
    /^SQLITE_IOERR|^EIO/,
    () => ({
      what: 'the disk reports errors',
      remedy: 'Look for disk errors in the log of the operating system, and repair or replace the disk.',
    }),
  ],
  [/^53100/, () => ({ what: 'the disk of the PostgreSQL server is full', remedy: 'Free disk space there.' })],
  [
    /^53300/,
    () => ({
      what: 'the PostgreSQL server has no free connection',
      remedy: 'Raise max_connections of the server, or let other programs open fewer connections.',
    }),
  ],
  [
    /^25006/,
    () => ({
      what: 'the PostgreSQL server is a read-only standby',
      remedy: 'Promote it, or let DATABASE_URL lead to the primary.',
    }),
  ],
  [
    /^(28|3D)/,
    () => ({
      what: 'the PostgreSQL server rejects the user, the password or the database of DATABASE_URL',
      remedy: 'Correct them at the server, or DATABASE_URL, and restart.',
    }),
  ],
];

const UNKNOWN = ({ postgresUrl }: Storage) =>
  postgresUrl === null
    ? { what: 'the database could not be written', remedy: 'Check the disk of the database.' }
    : {
        what: 'the PostgreSQL server does not respond, or could not write',
        remedy:
          'Check that the server runs, is reachable from here and is not overloaded. The daemon continues by itself once it responds.',
      };

/** At a connection to the server. Other codes of this machine mean the disk. */
const MACHINE_FAULT = /^(EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ENETDOWN)$/;

/** @param code as `DiskFailures` or the outcome of an event has it */
export function describeStorageFault(code: string, storage: Storage): StorageFault {
  const describe = MACHINE_FAULT.test(code)
    ? () => describeMachineFault(code)!
    : (CASES.find(([codes]) => codes.test(code))?.[1] ?? UNKNOWN);
  return { ...describe(storage), isTemporary: TEMPORARY.test(code) && !LASTING.test(code) };
}
