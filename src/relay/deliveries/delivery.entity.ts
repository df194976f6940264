import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeliveryError, DeliveryState, DeliveryTrigger } from '../../contract/delivery';

/**
 * Times are ms since 1970. `settledAt` is missing while it is open; `dueAt` is set while it is to be attempted, which excludes
 * waiting in a lane. What is dead and not settled stops its lane.
 */
@Entity('deliveries')
export class DeliveryEntity {
  @PrimaryColumn('bigint', { name: 'event_seq' }) seq!: number;
  @PrimaryColumn('integer', { name: 'target_id' }) target!: number;
  @PrimaryColumn('integer') n!: number;
  @Column('varchar') state!: DeliveryState;
  @Column('varchar') trigger!: DeliveryTrigger;
  @Column('varchar', { name: 'replay_id', nullable: true }) replayId!: string | null;
  @Column('integer') attempts!: number;
  @Column('varchar', { nullable: true }) lane!: string | null;
  @Column('varchar', { nullable: true }) note!: string | null;
  @Column('bigint', { name: 'created_at' }) createdAt!: number;
  @Column('bigint', { name: 'due_at', nullable: true }) dueAt!: number | null;
  @Column('bigint', { name: 'settled_at', nullable: true }) settledAt!: number | null;
  @Column('integer', { name: 'last_status', nullable: true }) lastStatus!: number | null;
  @Column('varchar', { name: 'last_error', nullable: true }) lastError!: DeliveryError | null;
}
