import { SYSTEM_EVENT_PREFIX } from '../../contract/constants';
import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Leadership } from '../ground/leadership';
import { ownIdentity } from '../database/journal/identity';
import { MAX_NAME_LENGTH } from '../ground/record-name';
import type { AppendOutcome } from '../database/journal/journal';
import { Log } from '../ground/log';
import { EventsService } from './events.service';

/** A system event to publish. */
export interface SystemEvent {
  type: `${typeof SYSTEM_EVENT_PREFIX}${string}`;
  /** When it happened, in ms since 1970. */
  at: number;
  data: Record<string, unknown> & { sentence: string };
  /** What happened: published again, after a crash before its storing was recorded, it is stored only once. */
  occurrence: string;
}

type StoredEvent = Exclude<AppendOutcome, { status: 'not_stored' }>;

/** Stores system events (`relay.…`) in the same way as those from Co-Pilot. */
@Injectable()
export class SystemEventsService {
  constructor(
    private readonly events: EventsService,
    private readonly clock: Clock,
    private readonly leadership: Leadership,
    private readonly log: Log,
  ) {}

  /** @returns how it came to be on disk: now, or before a crash; null if it is not, and the caller retries */
  async record(event: SystemEvent): Promise<'accepted' | 'duplicate' | null> {
    if (!this.leadership.holdsLease()) return null;
    return (await this.store(event))?.status ?? null;
  }

  /** As `record`, for an event that any daemon may publish. */
  async store({ type, at, data, occurrence }: SystemEvent): Promise<StoredEvent | null> {
    const body = { event: type, timestamp: new Date(at).toISOString(), webhook_id: null, data };
    const outcome = await this.events.record(
      {
        type,
        entity: null,
        name: data.sentence.slice(0, MAX_NAME_LENGTH),
        occurredAt: at,
        receivedAt: this.clock.now(),
        webhookId: null,
        contentType: 'application/json',
        headers: [],
        body: Buffer.from(JSON.stringify(body)),
        signatureHeader: '',
        signatureValue: '',
        unreadable: null,
        version: null,
        identity: ownIdentity(`system ${occurrence}`),
      },
      body,
    );
    if (outcome.status === 'not_stored') {
      this.log.warn({ type, reason: outcome.reason, cause: outcome.cause }, 'system event not stored yet');
      return null;
    }
    if (outcome.status === 'accepted') this.log.info({ event: outcome.id, type }, 'system event stored');
    return outcome;
  }
}
