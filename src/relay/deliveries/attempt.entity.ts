import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AttemptError } from '../../contract/delivery';

/** One attempt of a delivery, whose key is `seq`, `target` and `n`. `at` is ms since 1970. */
@Entity('attempts')
export class AttemptEntity {
  @PrimaryColumn('bigint', { name: 'event_seq' }) seq!: number;
  @PrimaryColumn('integer', { name: 'target_id' }) target!: number;
  @PrimaryColumn('integer') n!: number;
  /** Counts the attempts of the delivery, from 1. */
  @PrimaryColumn('integer') number!: number;
  @Column('bigint') at!: number;
  @Column('integer', { name: 'duration_ms' }) durationMs!: number;
  @Column('integer', { nullable: true }) status!: number | null;
  @Column('varchar', { nullable: true }) error!: AttemptError | null;
  @Column('varchar', { nullable: true }) excerpt!: string | null;
}
