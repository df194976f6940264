import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventDraft } from '../database/journal/journal';

/** A stored event. Times are ms since 1970; `body` holds the bytes as Co-Pilot sent them. */
@Entity('events')
export class EventEntity {
  @PrimaryColumn('bigint') seq!: number;
  @Column('bigint', { name: 'received_at' }) receivedAt!: number;
  @Column('bigint', { name: 'occurred_at', nullable: true }) occurredAt!: number | null;
  @Column('varchar') type!: string;
  @Column('varchar', { nullable: true }) entity!: string | null;
  @Column('varchar', { nullable: true }) name!: string | null;
  @Column('varchar', { name: 'webhook_id', nullable: true }) webhookId!: string | null;
  @Column('varchar', { nullable: true }) unreadable!: string | null;
  @Column('varchar', { name: 'content_type', nullable: true }) contentType!: string | null;
  @Column('simple-json') headers!: [string, string][];
  @Column('varchar', { name: 'signature_header' }) signatureHeader!: string;
  @Column('varchar', { name: 'signature_value' }) signatureValue!: string;
  @Column('blob') body!: Buffer;
}

/** What Switchboard itself made is not signed: the columns of the signature are NOT NULL, and this one is empty. */
export const isUnsigned = ({ signatureHeader }: Pick<EventDraft, 'signatureHeader'>): boolean =>
  signatureHeader === '';
