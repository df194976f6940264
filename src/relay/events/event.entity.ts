import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stored event. Times are ms since 1970; `body` is what Co-Pilot sent, to the byte. */
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
  @Column('blob') body!: Buffer;
}
