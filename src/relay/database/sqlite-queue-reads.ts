import type { DeliveryKey } from '../ids';
import type { DeliverableEvent, DeliveryClass, DueDelivery } from './journal';
import { openReading, type Connection, type SqliteStatement } from './sqlite-driver';

interface DueRow {
  event_seq: number;
  n: number;
  lane: string | null;
  attempts: number;
  spared: number;
  first_at: number | null;
  due_at: number;
  created_at: number;
  trigger: DueDelivery['trigger'];
  replay_id: string | null;
}

interface EventRow {
  type: string;
  entity: string | null;
  received_at: number;
  content_type: string | null;
  signature_header: string;
  signature_value: string;
  body: Uint8Array;
}

/** What delivering reads: by index and by key, some microseconds each, so on the thread that asks. */
export class SqliteQueueReads {
  private readonly connection: Connection;
  private readonly due: SqliteStatement<DueRow>;
  private readonly event: SqliteStatement<EventRow>;
  private readonly edited: SqliteStatement<{ body: Uint8Array }>;

  constructor(file: string) {
    this.connection = openReading(file);
    this.due = this.connection.prepare<unknown[], DueRow>(
      `SELECT event_seq, n, lane, attempts, spared, first_at, due_at, created_at, "trigger", replay_id FROM deliveries
       WHERE target_id = ? AND class = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, event_seq, n LIMIT ?`,
    );
    this.event = this.connection.prepare<unknown[], EventRow>(
      `SELECT type, entity, received_at, content_type, signature_header, signature_value, body FROM events WHERE seq = ?`,
    );
    this.edited = this.connection.prepare<unknown[], { body: Uint8Array }>(
      'SELECT body FROM edited_bodies WHERE event_seq = ? AND target_id = ? AND n = ?',
    );
  }

  takeDue(target: number, ofClass: DeliveryClass, now: number, limit: number): DueDelivery[] {
    return this.due.all(target, ofClass, now, limit).map((row) => ({
      key: { seq: row.event_seq, target, n: row.n },
      class: ofClass,
      lane: row.lane,
      attempts: row.attempts,
      spared: row.spared,
      firstAt: row.first_at,
      dueAt: row.due_at,
      createdAt: row.created_at,
      trigger: row.trigger,
      replayId: row.replay_id,
    }));
  }

  readEvent(seq: number): DeliverableEvent | null {
    const row = this.event.get(seq);
    if (row === undefined) return null;
    return {
      seq,
      type: row.type,
      entity: row.entity,
      receivedAt: row.received_at,
      contentType: row.content_type,
      signatureHeader: row.signature_header,
      signatureValue: row.signature_value,
      body: row.body,
    };
  }

  readEditedBody({ seq, target, n }: DeliveryKey): Uint8Array | null {
    return this.edited.get(seq, target, n)?.body ?? null;
  }

  close(): void {
    this.connection.close();
  }
}
