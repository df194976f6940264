import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Something that was found otherwise at Co-Pilot than it was left. `at`: ms since 1970. */
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
