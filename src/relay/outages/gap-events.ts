import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GAP_EVENT } from '../../contract/constants';
import { EVENT_TYPES, READABLE_KINDS } from '../../protocol/event-types';
import { Journal } from '../database/journal/journal';
import { Reader } from '../database/reading/reader';
import { firstSince } from '../events/search/survey-events.query';
import { SystemEventsService } from '../events/system-events.service';
import { Clock } from '../ground/clock';
import { eventId, newId } from '../ground/ids';
import { isoOrNull, toIso } from '../ground/iso-time';
import { RelayError } from '../ground/relay-error';
import { describeMissing, type OutageDraft, type OutageRow } from './describe-outage';

/** Whether nothing that happened meanwhile can have been stored, or some of it may have been. */
const CERTAINTY: Record<OutageRow['kind'], 'certain' | 'possible'> = {
  downtime: 'possible',
  silence: 'possible',
  restore: 'certain',
  failover: 'possible',
  unregistered: 'possible',
  not_stored: 'possible',
};

const KINDS = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]!))];

/** The id of an outage, and where it lies in the order of events. */
type GapPlace = Pick<OutageRow, 'id' | 'after_seq' | 'gap_event_id'>;

/**
 * Publishes that events may be missing, as an event at the place where they are: after everything that was stored
 * before the outage, and before what is stored next.
 */
@Injectable()
export class GapEvents {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly systemEvents: SystemEventsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Every daemon that finds the same outage may publish it: it is stored once.
   * @throws RelayError `storage_failed`, 503
   */
  async publish(outage: OutageDraft): Promise<GapPlace> {
    const { kind, began_at: beganAt, ended_at: endedAt } = outage;
    const before = await this.newestBefore(beganAt);
    const place = { id: this.outageId(outage), after_seq: before?.seq ?? 0 };
    const now = this.clock.now();
    const stored = await this.systemEvents.store({
      type: GAP_EVENT,
      at: endedAt ?? now,
      data: {
        outage_id: place.id,
        kind,
        certainty: CERTAINTY[kind],
        began_at: toIso(beganAt),
        ended_at: isoOrNull(endedAt),
        after_seq: place.after_seq,
        after_event_id: before === null ? null : eventId(before.at, before.seq, this.journal.instanceId),
        repairable: KINDS.filter((one) => READABLE_KINDS.includes(one)),
        not_repairable: KINDS.filter((one) => !READABLE_KINDS.includes(one)),
        sentence: describeMissing(outage),
      },
      occurrence: `gap ${place.id}`,
    });
    if (stored === null) throw new RelayError('storage_failed', 503, 'The gap event could not be stored.');
    return { ...place, gap_event_id: stored.id };
  }

  /** Every daemon computes the same id. */
  private outageId({ kind, began_at: beganAt }: OutageDraft): string {
    const occurrence = `${this.journal.instanceId.current} ${kind} ${beganAt}`;
    const digest = createHash('sha256').update(occurrence).digest();
    return newId('out', beganAt, { bytes: (size) => digest.subarray(0, size) });
  }

  /** The newest event that was received until then. */
  private async newestBefore(time: number): Promise<{ seq: number; at: number } | null> {
    const [newest] = await this.source.query<{ seq: number }[]>(
      'SELECT seq FROM events ORDER BY seq DESC LIMIT 1',
    );
    if (newest === undefined) return null;
    const end = await firstSince(time + 1, { after: 0, before: newest.seq + 1 }, this.reader);
    const [found] = await this.source.query<{ seq: number; at: number }[]>(
      'SELECT seq, received_at AS at FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 1',
      [end],
    );
    return found ?? null;
  }
}
