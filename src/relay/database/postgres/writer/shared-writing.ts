import type { Change } from '../../journal/journal';
import type { Generations } from '../generations';
import { columnsOf, rowsOf, type Transaction } from './transaction';

/** What a writer must know of the other daemons. */
export interface SharedWriting {
  /** The id of this daemon. */
  daemon: string;
  /** In which it leads; null if it does not. */
  epoch: number | null;
  /** In which it owns a target; null if it does not. */
  epochOf: (target: number) => number | null;
  /** Called when something was refused that was written as the leader: another daemon leads. */
  onNotLeader: () => void;
  /** Called when this application can write no more: one that reads the database again has to replace it. */
  onOutdated: () => void;
  /** Records what is known to be committed. */
  generations: Pick<Generations, 'committed' | 'stored'>;
  /** Announces to the other daemons that something was committed that concerns them. @param writer who committed it */
  announce: (writer: string) => void;
}

/** Locks the leader's epoch until the transaction ends: a takeover waits. @returns whether this daemon still leads */
export async function holdEpoch(transaction: Pick<Transaction, 'client'>, epoch: number): Promise<boolean> {
  const rows = await rowsOf(transaction, 'SELECT epoch FROM leader WHERE epoch = $1 FOR SHARE', [epoch]);
  return rows.length > 0;
}

/** A target and the epoch in which this daemon owned it. */
export type Tenure = Required<Pick<Change, 'asOwnerOf' | 'ownerEpoch'>>;

/**
 * Locks the epochs of targets until the transaction ends: a daemon that takes a target waits for it.
 * @returns whether this daemon still owns a target in an epoch
 */
export async function holdTargets(
  transaction: Transaction,
  daemon: string,
  tenures: readonly Tenure[],
): Promise<(tenure: Tenure) => boolean> {
  const distinct = [...new Map(tenures.map((tenure) => [nameOf(tenure), tenure])).values()];
  const rows = await rowsOf<Tenure>(
    transaction,
    `SELECT o.target AS "asOwnerOf", o.epoch AS "ownerEpoch" FROM unnest($2::bigint[], $3::bigint[]) AS held(target, epoch)
     JOIN target_owners o ON o.target = held.target AND o.epoch = held.epoch
     WHERE o.daemon = $1 ORDER BY o.target FOR SHARE OF o`,
    [daemon, ...columnsOf(distinct, 'asOwnerOf', 'ownerEpoch')],
  );
  const held = new Set(rows.map(nameOf));
  return (tenure) => held.has(nameOf(tenure));
}

const nameOf = ({ asOwnerOf, ownerEpoch }: Tenure) => `${asOwnerOf}:${ownerEpoch}`;
