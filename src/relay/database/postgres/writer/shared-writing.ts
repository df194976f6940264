import type { Committed } from '../../journal';
import { NOT_LEADER } from '../../journal/work';
import { rowsOf, type Transaction } from './transaction';

/** What a writer must know of the other daemons. */
export interface SharedWriting {
  /** In which this daemon leads; null if it does not, and only appends. */
  epoch: number | null;
  /** Called when the database has refused what was written as the leader. */
  onNotLeader: () => void;
  /** Tells the leader of deliveries that were added to stored events. */
  announceScheduled: (deliveries: Committed['scheduled']) => void;
}

/** Another daemon leads. */
export class NotLeader extends Error {
  readonly code = NOT_LEADER;
}

/**
 * Holds the epoch until the transaction ends: who takes over waits for it.
 * @throws NotLeader
 */
export async function assertLeader(transaction: Transaction, epoch: number): Promise<void> {
  const rows = await rowsOf(transaction, 'SELECT epoch FROM leader WHERE epoch = $1 FOR SHARE', epoch);
  if (rows.length === 0) throw new NotLeader();
}
