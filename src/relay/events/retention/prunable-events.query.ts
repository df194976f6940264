import { Injectable } from '@nestjs/common';
import { Clock } from '../../ground/clock';
import { DEAD_LETTER_COUNT, HAS_UNFINISHED } from '../../database/journal/delivery-conditions';
import { Reader } from '../../database/reading/reader';
import { AdaptiveStep } from '../../database/reading/adaptive-step';
import { withIndex } from '../../database/reading/dialect';
import { olderThan } from '../../database/journal/older-than';
import type { AgeLimit } from '../../ground/clock-corrections';

export interface PrunableEvent {
  seq: number;
  /** Of its body. */
  bytes: number;
}

/** Events checked per read. */
const WINDOW = { first: 1_000, least: 100, most: 50_000 };

/** Events that could not be removed are checked again after this time, or as soon as space is needed. */
const RESCAN_AFTER_MS = 24 * 3_600_000;

/**
 * The newest event is never removed, as `seq` continues from it, nor those that the router has not evaluated: there is
 * a position while there are routed targets.
 */
const removable = (seq: string) =>
  `${seq} < (SELECT max(seq) FROM events) AND ${seq} <= coalesce((SELECT position FROM router), ${seq})`;

/** Events in order of arrival. */
const ALL_EVENTS = `SELECT seq FROM events WHERE seq > ? AND ${removable('seq')} ORDER BY seq LIMIT ?`;
const EVENTS_WITH_DEAD_LETTERS = `SELECT DISTINCT event_seq AS seq FROM ${withIndex('deliveries', 'deliveries_dead')}
  WHERE state = 'dead' AND event_seq > ? AND ${removable('event_seq')} ORDER BY event_seq LIMIT ?`;

interface CheckedEvents {
  through: number | null;
  oldestAt: number;
  newestAt: number;
}

const ANY_AGE: AgeLimit = { before: Number.MAX_SAFE_INTEGER, kept: [] };

/**
 * Finds events that may be removed, oldest first. It runs on the reader thread, so that the writer checks no other
 * events. `limit`: only those received earlier; null for all.
 */
@Injectable()
export class PrunableEventsQuery {
  /** The last `seq` that was checked; the events up to it that still exist could not be removed. */
  private scannedThrough = 0;
  private scannedSince = -Infinity;

  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /** Events without unfinished deliveries or dead letters. */
  async *finished(limit: AgeLimit | null): AsyncGenerator<PrunableEvent[]> {
    const now = this.clock.monotonic();
    if (now - this.scannedSince >= RESCAN_AFTER_MS) this.rescan();
    if (this.scannedThrough === 0) this.scannedSince = now;
    const isFree = `NOT ${HAS_UNFINISHED} AND ${DEAD_LETTER_COUNT} = 0`;
    let allOld = true;
    for await (const { events, window } of this.walk(ALL_EVENTS, this.scannedThrough, limit, isFree)) {
      yield events;
      // Reached only once the caller has handled them all. Events that are only too young are checked again.
      allOld &&= limit === null || window.newestAt < limit.before;
      if (allOld) this.scannedThrough = window.through ?? this.scannedThrough;
    }
  }

  /** Events with dead letters and without unfinished deliveries. */
  async *deadLetters(limit: AgeLimit | null): AsyncGenerator<PrunableEvent[]> {
    for await (const { events } of this.walk(EVENTS_WITH_DEAD_LETTERS, 0, limit, `NOT ${HAS_UNFINISHED}`))
      yield events;
  }

  /** All events, whatever the state of their deliveries. */
  async *all(): AsyncGenerator<PrunableEvent[]> {
    for await (const { events } of this.walk(ALL_EVENTS, 0, null, 'TRUE')) yield events;
  }

  /** Checks all events again, since their deliveries may have finished. @returns whether any were skipped */
  rescan(): boolean {
    const { scannedThrough: passed } = this;
    this.scannedThrough = 0;
    return passed > 0;
  }

  private async *walk(
    source: string,
    from: number,
    limit: AgeLimit | null,
    isFree: string,
  ): AsyncGenerator<{ events: PrunableEvent[]; window: CheckedEvents }> {
    const step = new AdaptiveStep(WINDOW.first, WINDOW.least, WINDOW.most);
    for (let after = from; ;) {
      const { window, events } = await step.run(async (size) => {
        const next = await this.readWindow(source, after, size);
        return {
          window: next,
          events: await this.findPrunable(source, { after, size }, limit ?? ANY_AGE, isFree),
        };
      });
      if (window.through === null) return;
      yield { events, window };
      const before = limit?.before ?? Infinity;
      if (window.oldestAt >= before && !(await this.hasOlder(window.through, before))) return;
      after = window.through;
    }
  }

  private async readWindow(source: string, after: number, size: number): Promise<CheckedEvents> {
    const [window] = await this.reader.all<CheckedEvents>([
      `SELECT max(e.seq) AS through, min(e.received_at) AS "oldestAt", max(e.received_at) AS "newestAt"
       FROM (${source}) s JOIN events e ON e.seq = s.seq`,
      [after, size],
    ]);
    return window!;
  }

  private findPrunable(
    source: string,
    { after, size }: { after: number; size: number },
    limit: AgeLimit,
    isFree: string,
  ): Promise<PrunableEvent[]> {
    const isOld = olderThan('e.received_at', limit);
    return this.reader.all<PrunableEvent>([
      `SELECT e.seq AS seq, length(e.body) AS bytes FROM (${source}) s JOIN events e ON e.seq = s.seq
       WHERE ${isOld.sql} AND ${isFree} ORDER BY e.seq`,
      [after, size, ...isOld.parameters],
    ]);
  }

  /**
   * An event that is too young ends the search, as `seq` is the order of arrival, unless the clock was ahead then. So
   * later events are checked at doubling distances: those of a wrong clock are skipped once as many are old.
   */
  private async hasOlder(seq: number, before: number): Promise<boolean> {
    const [found] = await this.reader.all<{ older: number }>([
      `WITH RECURSIVE distances(ahead) AS (
         SELECT 1 UNION ALL SELECT ahead * 2 FROM distances WHERE ? + ahead * 2 <= (SELECT max(seq) FROM events))
       SELECT count(*) AS older FROM distances
       WHERE (SELECT received_at FROM events WHERE seq >= ? + ahead ORDER BY seq LIMIT 1) < ?`,
      [seq, seq, before],
    ]);
    return found!.older > 0;
  }
}
