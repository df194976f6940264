/**
 * Whether this daemon leads. Of the daemons on one database, all receive notifications, and each delivers to the
 * targets that it owns; the leader does everything else. An application leads, or does not, for as long as it runs:
 * when that changes, the daemon starts another one.
 */
export abstract class Leadership {
  abstract readonly leads: boolean;
  /** Whether other daemons may use the database. */
  abstract readonly isShared: boolean;
  /**
   * Whether this application leads, and no other daemon can have become the leader. Check it right before a request to
   * Co-Pilot; what is written is refused by the database.
   */
  abstract holdsLease(): boolean;
}
