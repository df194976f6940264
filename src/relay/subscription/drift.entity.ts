import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A difference between the desired state and what was found at Co-Pilot. `at`: ms since 1970. */
@Entity('subscription_drift')
export class DriftEntity {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer' })
  at!: number;

  @Column({ type: 'text' })
  field!: string;

  @Column({ type: 'text' })
  before!: string;

  @Column({ type: 'text' })
  after!: string;

  @Column({ type: 'text' })
  outcome!: string;
}
