import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A consent that was begun: one `state` and the browser's secret, of which only the SHA-256 of both is stored. Times are ms since 1970. */
@Entity('consents')
export class ConsentEntity {
  /** Lowercase hex. */
  @PrimaryColumn({ name: 'state_hash', type: 'text' })
  stateHash!: string;

  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri!: string;

  @Column({ name: 'expires_at', type: 'integer' })
  expiresAt!: number;

  @Column({ name: 'used_at', type: 'integer', nullable: true })
  usedAt!: number | null;

  /** Set while its code is exchanged; found set at start, the exchange was interrupted and its outcome is unknown. */
  @Column({ name: 'exchanging_since', type: 'integer', nullable: true })
  exchangingSince!: number | null;
}
