import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OWN_TYPES } from '../../contract/event';
import { Clock } from '../ground/clock';
import { OWN_MINUTE } from '../database/journal';
import { Log } from '../ground/log';
import { EventsService } from './events.service';

/** What Switchboard itself has to tell. */
export interface SystemEvent {
  type: `${typeof OWN_TYPES}${string}`;
  /** When it happened, in ms since 1970. */
  at: number;
  data: Record<string, unknown> & { sentence: string };
  /** Names what happened, so that telling it again, after a crash between the event and the note of it, stores nothing. */
  occurrence: string;
}

const HASH_BYTES = 16;
const NAME_LENGTH = 200;

/** Stores events of our own, `relay.…`, on the road of those that Co-Pilot sends. */
@Injectable()
export class SystemEvents {
  constructor(
    private readonly events: EventsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @returns whether it is on disk; where not, it is to be told again */
  async record({ type, at, data, occurrence }: SystemEvent): Promise<boolean> {
    const body = { event: type, timestamp: new Date(at).toISOString(), webhook_id: null, data };
    const outcome = await this.events.record(
      {
        type,
        entity: null,
        name: data.sentence.slice(0, NAME_LENGTH),
        occurredAt: at,
        receivedAt: this.clock.now(),
        webhookId: null,
        contentType: 'application/json',
        headers: [],
        body: Buffer.from(JSON.stringify(body)),
        signatureHeader: '',
        signatureValue: '',
        unreadable: null,
        identity: {
          minute: OWN_MINUTE,
          hash: createHash('sha256').update(`own ${occurrence}`).digest().subarray(0, HASH_BYTES),
        },
      },
      body,
    );
    if (outcome.status === 'refused') {
      this.log.warn({ type, reason: outcome.reason, cause: outcome.cause }, 'own event not stored yet');
      return false;
    }
    if (outcome.status === 'accepted') this.log.info({ event: outcome.id, type }, 'own event');
    return true;
  }
}
