import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BackupsService } from '../backups/backups.service';
import { recordErased, type ErasureLine } from '../backups/erased-events-file';
import { ERASED_IDENTITIES, ERASURE_RULES } from '../database/erasure-rules';
import { Journal } from '../database/journal/journal';
import { update, type Statement } from '../database/journal/statements';
import { TextIndex } from '../database/sqlite/text-index/text-index';
import { SystemEventsService } from '../events/system-events.service';
import { Clock } from '../ground/clock';
import { eventId, positionId } from '../ground/ids';
import { toIso } from '../ground/iso-time';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import type { ErasureRow } from './erasure-row';
import { MentioningRecords } from './mentioning-records';

/** What a system event lists at most, and what one step forgets. */
const LISTED_EVENTS = 1_000;

/** Co-Pilot repeats notifications within half a minute; until then, the hash tells that they are repeated. */
const IDENTITY_KEPT_MS = 3_600_000;
const CHECK_EVERY_MS = 1_000;

const ERASED_EVENTS = `SELECT x.seq, e.received_at AS at FROM erased_events x JOIN events e ON e.seq = x.seq
  WHERE x.erasure = ? AND x.seq > ? ORDER BY x.seq LIMIT ${LISTED_EVENTS}`;

/** What follows once the events of an erasure are erased. */
@Injectable()
export class ErasureAftermath {
  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly systemEvents: SystemEventsService,
    private readonly records: MentioningRecords,
    private readonly texts: TextIndex,
    private readonly backups: BackupsService,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Tells receivers, and those who restore a backup, what they must erase as well. @throws Error if that could not be stored */
  async finish({ number, id, entity, mentions, until_seq: until, events }: ErasureRow): Promise<void> {
    const at = this.clock.now();
    const record = (erased: readonly ErasureLine[]) => {
      if (this.settings.postgresUrl === null) recordErased(this.backups.folder, id, toIso(at), erased);
    };
    if (entity !== null) record([{ entity, until: positionId(until, 0, this.journal.instanceId) }]);
    if (mentions !== null)
      await this.records.erase(mentions, (entities) => record(entities.map((one) => ({ state_of: one }))));
    for await (const part of this.erasedBy(number)) {
      const ids = part.map((one) => eventId(one.at, one.seq, this.journal.instanceId));
      record(ids.map((event) => ({ id: event })));
      const sentence = `An operator has erased ${ids.length} events. Receivers that must follow erase them as well.`;
      const occurrence = `${id} ${part[0]!.seq}`;
      const data = { sentence, erasure_id: id, event_ids: ids };
      if ((await this.systemEvents.record({ type: 'relay.events.erased', at, data, occurrence })) === null)
        throw new Error('The system event about an erasure was not stored.');
    }
    await this.journal.change({
      statements: [
        [`UPDATE erasures SET state = 'cleaning', erased_at = ?, mentions = NULL WHERE id = ?`, [at, id]],
      ],
    });
    this.log.info({ erasure: id, events }, 'events erased');
  }

  /** Removes the last that is stored, then what is left on the disk. @returns whether there is more to do */
  async clean({ number, id }: ErasureRow, signal: AbortSignal): Promise<boolean> {
    await this.forgetRest(number, signal);
    if (!signal.aborted) await this.texts.clean(signal);
    if (!signal.aborted) await this.journal.clean(signal);
    if (signal.aborted) return true;
    await this.journal.change({
      statements: [update('erasures', id, { state: 'done', ended_at: this.clock.now() })],
    });
    this.log.info({ erasure: id }, 'erasure done');
    return false;
  }

  /** Identities; and excerpts again, since a daemon may have stored one in the moment of the erasure. */
  private async forgetRest(erasure: number, signal: AbortSignal): Promise<void> {
    for await (const part of this.erasedBy(erasure)) {
      const newest = Math.max(...part.map(({ at }) => at));
      while (this.clock.now() - newest < IDENTITY_KEPT_MS && !signal.aborted)
        await wait(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const seqs = JSON.stringify(part.map(({ seq }) => seq));
      await this.journal.change({
        statements: [...ERASURE_RULES['attempts']!, ...ERASED_IDENTITIES].map((sql): Statement => [
          sql,
          [{ seqs }],
        ]),
      });
    }
  }

  private async *erasedBy(erasure: number): AsyncGenerator<{ seq: number; at: number }[]> {
    for (let after = 0; ;) {
      const part = await this.source.query<{ seq: number; at: number }[]>(ERASED_EVENTS, [erasure, after]);
      if (part.length === 0) return;
      yield part;
      after = part.at(-1)!.seq;
    }
  }
}
