import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * An authorization that was started: the SHA-256 of its `state` and the browser's secret. Times are ms
 * since 1970.
 */
@Entity('oauth_states')
export class OAuthStateEntity {
  /** Lowercase hex. */
  @PrimaryColumn({ name: 'state_hash', type: 'text' })
  stateHash!: string;

  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri!: string;

  @Column({ name: 'expires_at', type: 'integer' })
  expiresAt!: number;

  @Column({ name: 'used_at', type: 'integer', nullable: true })
  usedAt!: number | null;

  /**
   * Set while its code is exchanged. If set at startup, the exchange was interrupted and its outcome is
   * unknown.
   */
  @Column({ name: 'exchanging_since', type: 'integer', nullable: true })
  exchangingSince!: number | null;
}
