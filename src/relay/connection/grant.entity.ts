import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The single grant at Co-Pilot. Times are ms since 1970. */
@Entity('grants')
export class GrantEntity {
  /** Always 1: there is one grant. */
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'base_url', type: 'text' })
  baseUrl!: string;

  @Column({ name: 'client_id', type: 'text' })
  clientId!: string;

  /** The scopes granted, separated by spaces. */
  @Column({ type: 'text' })
  scopes!: string;

  /** Encrypted JSON: access token and refresh token. */
  @Column({ type: 'text' })
  tokens!: string;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'text', nullable: true })
  problem!: string | null;

  @Column({ name: 'connected_at', type: 'integer' })
  connectedAt!: number;

  @Column({ name: 'issued_at', type: 'integer' })
  issuedAt!: number;

  @Column({ name: 'expires_at', type: 'integer' })
  expiresAt!: number;

  /** Set while a renewal is in progress. If set at startup, the renewal was interrupted. */
  @Column({ name: 'renewal_started_at', type: 'integer', nullable: true })
  renewalStartedAt!: number | null;

  @Column({ type: 'integer' })
  failures!: number;

  @Column({ name: 'retry_at', type: 'integer', nullable: true })
  retryAt!: number | null;
}
