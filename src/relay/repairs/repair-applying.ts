import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RepairOutcome } from '../../contract/repair';
import { Journal } from '../database/journal/journal';
import { inJsonList } from '../database/reading/dialect';
import { EntityStatesQuery } from '../events/entities/entity-states.query';
import { EventsService } from '../events/events.service';
import { Clock } from '../ground/clock';
import { parseBody } from '../ground/parse-body';
import { RelayError } from '../ground/relay-error';
import { OutageStore } from '../outages/outage.store';
import { RegistrationStore } from '../subscription/registration.store';
import { isDeleted } from '../events/entities/present-state';
import { compareDeal } from './compare-deal';
import { Pace } from './pacing';
import type { RepairItemRow, RepairRow } from './repair-row';
import { eventTypesOf, syntheticEvent } from './synthetic-event';

const MAX_CHUNK = 50;

/** Appends the events of a repair. */
@Injectable()
export class RepairApplying {
  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly events: EventsService,
    private readonly states: EntityStatesQuery,
    private readonly outages: OutageStore,
    private readonly registrations: RegistrationStore,
    private readonly clock: Clock,
  ) {}

  /** Continues where it was. @throws AbortError; RelayError `storage_failed`, 503: it may be called again */
  async run(row: RepairRow, signal: AbortSignal): Promise<void> {
    const perSecond = row.events_per_second!;
    const pace = new Pace(perSecond, this.clock, signal);
    for (;;) {
      const items = await this.source.query<RepairItemRow[]>(
        `SELECT entity, action, version, record FROM repair_items
         WHERE repair = ? AND outcome IS NULL AND action ${inJsonList('?', 'texts')} ORDER BY entity LIMIT ?`,
        [row.number, JSON.stringify(row.actions), Math.min(MAX_CHUNK, perSecond)],
      );
      if (items.length === 0) return;
      const applied = { ...row.progress.applied! };
      const statements: [string, unknown[]][] = [];
      for (const item of items) {
        const { outcome, seqs } = await this.apply(row, item, pace);
        applied.items += 1;
        applied.events += seqs.length;
        statements.push([
          'UPDATE repair_items SET outcome = ?, event_seq = ? WHERE repair = ? AND entity = ?',
          [outcome, seqs.at(-1) ?? null, row.number, item.entity],
        ]);
      }
      const progress = { ...row.progress, applied };
      statements.push(['UPDATE repairs SET progress = ? WHERE id = ?', [JSON.stringify(progress), row.id]]);
      await this.journal.change({ statements });
      row.progress = progress;
    }
  }

  private async apply(
    row: RepairRow,
    item: RepairItemRow,
    pace: Pace,
  ): Promise<{ outcome: RepairOutcome; seqs: number[] }> {
    const { entity, action, version, record } = item;
    const now = await this.states.state(entity, Number.MAX_SAFE_INTEGER);
    const { low_seq: lowSeq, high_seq: highSeq } = row.progress.read;
    // An event of its own was stored before a crash: perhaps not all that belong to it.
    if (now === null || now.repairId !== row.id) {
      const result =
        action === 'absent'
          ? (now?.seq ?? 0) > lowSeq! && 'arrived_meanwhile'
          : compareDeal({ version, record: parseBody(record) }, now, lowSeq!);
      if (result !== false && result !== 'changed' && result !== 'missing')
        return { outcome: result, seqs: [] };
    }
    const before = await this.states.state(entity, highSeq!);
    const outages = await this.outages.named(row.outage_ids);
    const webhookId = this.registrations.current()?.webhookId ?? null;
    const seqs: number[] = [];
    for (const type of eventTypesOf(
      item,
      before === null || isDeleted(before.type) ? null : before,
      outages,
    )) {
      await pace.next();
      if (!(await this.isStored(row, entity))) break;
      const { draft, content } = syntheticEvent(row, item, type, { webhookId, now: this.clock.now() });
      const stored = await this.events.record(draft, content);
      if (stored.status === 'not_stored')
        throw new RelayError('storage_failed', 503, 'A synthetic event could not be stored.');
      seqs.push(stored.seq);
    }
    return { outcome: 'stored', seqs };
  }

  /** It may have been erased meanwhile. */
  private async isStored({ number }: RepairRow, entity: string): Promise<boolean> {
    const sql = 'SELECT 1 AS one FROM repair_items WHERE repair = ? AND entity = ?';
    return (await this.source.query<unknown[]>(sql, [number, entity])).length > 0;
  }
}
