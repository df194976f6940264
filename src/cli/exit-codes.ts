/** Exit codes of all commands, listed in their `--help`. Those from 64 on are from sysexits.h. */
export const EXIT = {
  /** An unexpected error, a request that was rejected, or a problem that `doctor` found. */
  failed: 1,
  /** An invalid command line. */
  usage: 2,
  /** The command did what it was asked, and the answer is no; or the answer to its question was. */
  no: 3,
  /** A backup or a restore is complete, but the data has been inconsistent before. */
  inconsistent: 65,
  /** What was asked for is no longer stored. */
  gone: 66,
  /** The hub, the daemon, or its database in PostgreSQL, is not running or does not respond. */
  unavailable: 69,
  /** The time to wait is up. */
  timedOut: 75,
  /** What answers is not a hub, or one that is too old. */
  unsupported: 76,
  /** There is no token, the hub does not accept it, or the consent failed. */
  noAccess: 77,
  /** A setting, a file or the environment must be changed first. */
  config: 78,
} as const;
