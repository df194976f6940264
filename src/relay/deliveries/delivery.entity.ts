import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeliveryError, DeliveryState, DeliveryTrigger } from '../../contract/delivery';

/**
 * Times are ms since 1970. `finishedAt` is null while the delivery is queued; `dueAt` is set while an attempt is
 * scheduled, but not while the delivery waits in its lane. A dead delivery without `finishedAt` stops its lane.
 */
@Entity('deliveries')
export class DeliveryEntity {
  @PrimaryColumn('bigint', { name: 'event_seq' }) seq!: number;
  @PrimaryColumn('integer', { name: 'target_id' }) target!: number;
  @PrimaryColumn('integer') n!: number;
  @Column('varchar') state!: DeliveryState;
  @Column('varchar') trigger!: DeliveryTrigger;
  /** The replay that created it, or the job that retried a dead letter: `replayOf` tells them apart. */
  @Column('varchar', { name: 'replay_id', nullable: true }) replayId!: string | null;
  @Column('integer') attempts!: number;
  @Column('varchar', { nullable: true }) lane!: string | null;
  @Column('varchar', { nullable: true }) note!: string | null;
  @Column('bigint', { name: 'created_at' }) createdAt!: number;
  @Column('bigint', { name: 'due_at', nullable: true }) dueAt!: number | null;
  @Column('bigint', { name: 'finished_at', nullable: true }) finishedAt!: number | null;
  @Column('integer', { name: 'last_status', nullable: true }) lastStatus!: number | null;
  @Column('varchar', { name: 'last_error', nullable: true }) lastError!: DeliveryError | null;
}
