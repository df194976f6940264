import { Injectable } from '@nestjs/common';
import { Clock } from '../../ground/clock';
import { DEAD_LETTERS, IS_UNFINISHED } from '../../database/journal/held-events';
import { Reader } from '../../database/reader';
import { AdaptiveStep } from '../../database/adaptive-step';

export interface PrunableEvent {
  seq: number;
  /** Of its body. */
  bytes: number;
}

/** Events that one read looks at. */
const WINDOW = { first: 1_000, least: 100, most: 50_000 };

/** What was held is looked at again after this, or as soon as room is needed. */
const PASSED_FOR_MS = 24 * 3_600_000;

/** Events in the order of their arrival, but for the newest, which stays: `seq` goes on from it. */
const ALL =
  'SELECT seq FROM events WHERE seq > ? AND seq < (SELECT max(seq) FROM events) ORDER BY seq LIMIT ?';
const WITH_DEAD = `SELECT DISTINCT event_seq AS seq FROM deliveries INDEXED BY deliveries_dead
  WHERE state = 'dead' AND event_seq > ? AND event_seq < (SELECT max(seq) FROM events) ORDER BY event_seq LIMIT ?`;

interface Window {
  through: number | null;
  oldestAt: number;
  newestAt: number;
}

const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Finds events that may be removed, oldest first, on the thread that reads: so the one that writes looks at nothing else.
 * `before`: only those received earlier, in ms since 1970; null for all.
 */
@Injectable()
export class PrunableEvents {
  /** Up to here everything was looked at: what is left was held. */
  private passed = 0;
  private passedSince = -Infinity;

  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /** Those that nothing holds. */
  async *finished(before: number | null): AsyncGenerator<PrunableEvent[]> {
    const now = this.clock.monotonic();
    if (now - this.passedSince >= PASSED_FOR_MS) this.lookAgain();
    if (this.passed === 0) this.passedSince = now;
    const isFree = `NOT ${IS_UNFINISHED} AND ${DEAD_LETTERS} = 0`;
    let allOld = true;
    for await (const { events, window } of this.walk(ALL, this.passed, before, isFree)) {
      yield events;
      // Whoever does not come back for more has left some. What is too young is held by its age alone.
      allOld &&= before === null || window.newestAt < before;
      if (allOld) this.passed = window.through ?? this.passed;
    }
  }

  /** Those that nothing but their dead letters holds. */
  async *deadLetters(before: number | null): AsyncGenerator<PrunableEvent[]> {
    for await (const { events } of this.walk(WITH_DEAD, 0, before, `NOT ${IS_UNFINISHED}`)) yield events;
  }

  /** Whatever holds them. */
  async *all(): AsyncGenerator<PrunableEvent[]> {
    for await (const { events } of this.walk(ALL, 0, null, '1')) yield events;
  }

  /** What was held may be free by now. @returns whether anything was passed by */
  lookAgain(): boolean {
    const { passed } = this;
    this.passed = 0;
    return passed > 0;
  }

  private async *walk(
    source: string,
    from: number,
    before: number | null,
    isFree: string,
  ): AsyncGenerator<{ events: PrunableEvent[]; window: Window }> {
    const step = new AdaptiveStep(WINDOW.first, WINDOW.least, WINDOW.most);
    for (let after = from; ;) {
      const { window, events } = await step.run(async (size) => {
        const next = await this.window(source, after, size);
        return { window: next, events: await this.among(source, { after, size }, before ?? NEVER, isFree) };
      });
      if (window.through === null) return;
      yield { events, window };
      if (before !== null && window.oldestAt >= before && !(await this.hasOlder(window.through, before)))
        return;
      after = window.through;
    }
  }

  private async window(source: string, after: number, size: number): Promise<Window> {
    const [window] = await this.reader.all<Window>([
      `SELECT max(e.seq) AS through, min(e.received_at) AS oldestAt, max(e.received_at) AS newestAt
       FROM (${source}) s JOIN events e ON e.seq = s.seq`,
      [after, size],
    ]);
    return window!;
  }

  private among(
    source: string,
    { after, size }: { after: number; size: number },
    before: number,
    isFree: string,
  ): Promise<PrunableEvent[]> {
    return this.reader.all<PrunableEvent>([
      `SELECT e.seq AS seq, length(e.body) AS bytes FROM (${source}) s JOIN events e ON e.seq = s.seq
       WHERE e.received_at < ? AND ${isFree} ORDER BY e.seq`,
      [after, size, before],
    ]);
  }

  /**
   * What is too young ends the search: `seq` is the order of arrival, so what is behind it is younger still. Unless the clock
   * was ahead when it came. So a look behind it, at distances that double: what was stored while the clock was wrong is passed
   * over as soon as as much behind it is too old.
   */
  private async hasOlder(seq: number, before: number): Promise<boolean> {
    const [found] = await this.reader.all<{ older: 0 | 1 }>([
      `WITH RECURSIVE distances(ahead) AS (
         SELECT 1 UNION ALL SELECT ahead * 2 FROM distances WHERE ? + ahead * 2 <= (SELECT max(seq) FROM events))
       SELECT count(*) > 0 AS older FROM distances
       WHERE (SELECT received_at FROM events WHERE seq >= ? + ahead ORDER BY seq LIMIT 1) < ?`,
      [seq, seq, before],
    ]);
    return found!.older === 1;
  }
}
