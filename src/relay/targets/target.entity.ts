import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Times are ms since 1970. `secret` is sealed. */
@Entity('targets')
export class TargetEntity {
  @PrimaryColumn('integer') number!: number;
  @Column('varchar') id!: string;
  @Column('varchar') name!: string;
  @Column('varchar') url!: string;
  @Column('simple-json') events!: string[];
  @Column('boolean') enabled!: boolean;
  @Column('varchar') secret!: string;
  @Column('bigint', { name: 'paused_at', nullable: true }) pausedAt!: number | null;
  @Column('varchar', { name: 'paused_reason', nullable: true }) pausedReason!: string | null;
  @Column('bigint', { name: 'created_at' }) createdAt!: number;
  @Column('bigint', { name: 'updated_at' }) updatedAt!: number;
  @Column('bigint', { name: 'deleted_at', nullable: true }) deletedAt!: number | null;
}
