/** Exit codes of all commands, listed in their `--help`. Those from 64 on are from sysexits.h. */
export const EXIT = {
  /** An unexpected error, a request that was rejected, or a problem that `doctor` found. */
  failed: 1,
  /** An invalid command line. */
  usage: 2,
  /** A backup or a restore is complete, but the data has been inconsistent before. */
  inconsistent: 65,
  /** The daemon, or its database in PostgreSQL, is not running or does not respond. */
  unavailable: 69,
  /** `connect` timed out waiting for the consent. */
  timedOut: 75,
  /** The consent failed. */
  noConsent: 77,
  /** A setting, a file or the environment must be changed first. */
  config: 78,
} as const;
