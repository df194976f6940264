import type { Actor } from '../../contract/audit';
import type { ConsumerCreate } from '../../contract/consumer';
import type { Position } from '../events/following/next-events.query';
import type { Clock } from '../ground/clock';
import { SerialQueue } from '../ground/serial-queue';

/** Which events it reads. */
export type Selection = Omit<ConsumerCreate, 'name' | 'start'>;

/** The right to read a consumer and to commit, until another reader takes it. */
export interface Lease {
  id: string;
  holder: string;
  /** IP address of the reader. */
  address: string;
  seconds: number;
}

/** Times are in ms since 1970. */
export interface ConsumerRecord {
  readonly name: string;
  selection: Selection;
  position: Position;
  lease: Lease | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
  lastReadAt: number | null;
  /** When the lease ends, by monotonic time. After it, another reader may take the next one. Not stored. */
  leasedUntil: number;
  /** What changes it, in turn. */
  readonly queue: SerialQueue;
}

export interface ConsumerRow {
  name: string;
  selection: string;
  position: number;
  accepted: number;
  lease: string | null;
  created_by: string;
  created_at: number;
  last_read_at: number | null;
}

/** @param now by monotonic time: a lease that was taken before a restart lasts as long again */
export function fromRow(row: ConsumerRow, now: number): ConsumerRecord {
  const lease = row.lease === null ? null : (JSON.parse(row.lease) as Lease);
  return {
    name: row.name,
    selection: JSON.parse(row.selection) as Selection,
    position: { seq: row.position, accepted: row.accepted },
    lease,
    createdBy: JSON.parse(row.created_by) as Actor,
    createdAt: row.created_at,
    lastReadAt: row.last_read_at,
    leasedUntil: now + (lease === null ? 0 : lease.seconds * 1_000),
    queue: new SerialQueue(),
  };
}

/** When its lease ends, in ms since 1970. */
export const leaseEndOf = ({ leasedUntil }: ConsumerRecord, clock: Clock): number =>
  clock.now() + leasedUntil - clock.monotonic();

export const toRow = ({ name, selection, position, lease, ...consumer }: ConsumerRecord) => ({
  name,
  selection: JSON.stringify(selection),
  position: position.seq,
  accepted: position.accepted,
  lease: lease === null ? null : JSON.stringify(lease),
  created_by: JSON.stringify(consumer.createdBy),
  created_at: consumer.createdAt,
  last_read_at: consumer.lastReadAt,
});
