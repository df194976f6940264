import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Filter } from '../../contract/filter';
import type { Routing, Target } from '../../contract/target';
import type { TargetPolicyChanges } from '../../contract/target-policy';
import type { TransformSettings } from '../../contract/transform';
import type { ListenerSettings } from './target-record';

/** Times are ms since 1970. `secret`, `previousSecret`, `secretHeaders` and `tls` are encrypted. */
@Entity('targets')
export class TargetEntity {
  @PrimaryColumn('integer') number!: number;
  @Column('varchar') id!: string;
  @Column('varchar') name!: string;
  /** Empty for a listener. */
  @Column('varchar') url!: string;
  @Column('simple-json', { nullable: true }) listener!: ListenerSettings | null;
  @Column('varchar') format!: Target['format'];
  @Column('simple-json') events!: string[];
  @Column('simple-json', { nullable: true }) filter!: Filter | null;
  @Column({ type: Boolean }) enabled!: boolean;
  /** Only what differs from the default policy. */
  @Column('simple-json') policy!: TargetPolicyChanges;
  @Column('simple-json') headers!: [name: string, value: string][];
  @Column('varchar', { name: 'secret_headers', nullable: true }) secretHeaders!: string | null;
  @Column('varchar', { nullable: true }) tls!: string | null;
  @Column('simple-json', { nullable: true }) signature!: Target['signature'];
  @Column({ type: Boolean }) ed25519!: boolean;
  @Column('simple-json', { nullable: true }) transform!: TransformSettings | null;
  @Column('integer', { name: 'transform_version' }) transformVersion!: number;
  @Column('varchar', { nullable: true }) routing!: Routing | null;
  @Column('varchar') secret!: string;
  @Column('varchar', { name: 'previous_secret', nullable: true }) previousSecret!: string | null;
  @Column('bigint', { name: 'previous_secret_until', nullable: true }) previousSecretUntil!: number | null;
  @Column('bigint', { name: 'paused_at', nullable: true }) pausedAt!: number | null;
  @Column('varchar', { name: 'paused_reason', nullable: true }) pausedReason!: string | null;
  @Column('bigint', { name: 'paused_until', nullable: true }) pausedUntil!: number | null;
  @Column('bigint', { name: 'disabled_at', nullable: true }) disabledAt!: number | null;
  @Column('varchar', { name: 'disabled_reason', nullable: true }) disabledReason!: string | null;
  @Column('varchar', { name: 'managed_by', nullable: true }) managedBy!: string | null;
  @Column('bigint', { name: 'created_at' }) createdAt!: number;
  @Column('bigint', { name: 'updated_at' }) updatedAt!: number;
  @Column('bigint', { name: 'deleted_at', nullable: true }) deletedAt!: number | null;
}
