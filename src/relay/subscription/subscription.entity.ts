import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A registration of ours at Co-Pilot: the current one, or a predecessor whose secret is still needed. Times
 * are ms since 1970.
 */
@Entity('subscriptions')
export class SubscriptionEntity {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  /** Encrypted JSON: the key in our URL and the signing secret. */
  @Column({ type: 'text' })
  secrets!: string;

  @Column({ name: 'base_url', type: 'text' })
  baseUrl!: string;

  /** The public URL it was registered with, without path and key. */
  @Column({ name: 'public_url', type: 'text' })
  publicUrl!: string;

  /** Event types as JSON. */
  @Column({ type: 'text' })
  events!: string;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'text', nullable: true })
  problem!: string | null;

  @Column({ type: 'text', nullable: true })
  remedy!: string | null;

  @Column({ type: Boolean })
  paused!: boolean;

  @Column({ name: 'last_known_active', type: Boolean, nullable: true })
  lastKnownActive!: boolean | null;

  @Column({ name: 'url_seen', type: Boolean })
  urlSeen!: boolean;

  @Column({ name: 'delete_first', type: Boolean })
  deleteFirst!: boolean;

  @Column({ name: 'webhook_id', type: 'text', nullable: true })
  webhookId!: string | null;

  @Column({ name: 'id_confirmed', type: Boolean })
  idConfirmed!: boolean;

  @Column({ name: 'signature_header', type: 'text', nullable: true })
  signatureHeader!: string | null;

  @Column({ name: 'previous_signature_header', type: 'text', nullable: true })
  previousSignatureHeader!: string | null;

  @Column({ name: 'created_at', type: 'integer' })
  createdAt!: number;

  @Column({ name: 'registered_at', type: 'integer', nullable: true })
  registeredAt!: number | null;

  @Column({ name: 'checked_at', type: 'integer', nullable: true })
  checkedAt!: number | null;

  /** When it was deleted at Co-Pilot. */
  @Column({ name: 'closed_at', type: 'integer', nullable: true })
  closedAt!: number | null;
}
