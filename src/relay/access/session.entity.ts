import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A login of the dashboard. Times are ms since 1970; the token itself is in the browser only. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('varchar', { name: 'token_hash' }) tokenHash!: string;
  @Column('bigint', { name: 'created_at' }) createdAt!: number;
  @Column('bigint', { name: 'expires_at' }) expiresAt!: number;
}
