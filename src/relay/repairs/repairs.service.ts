import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Outage } from '../../contract/outage';
import type { Page, PageQuery } from '../../contract/page';
import type {
  Repair,
  RepairApply,
  RepairCreate,
  RepairItem,
  RepairItemQuery,
  RepairOutcome,
} from '../../contract/repair';
import { Journal } from '../database/journal/journal';
import { insert, update } from '../database/journal/statements';
import { inJsonList } from '../database/reading/dialect';
import { EntityStatesQuery } from '../events/entities/entity-states.query';
import { maskState } from '../events/entities/present-state';
import type { PayloadMask } from '../filters/payload-mask';
import { setAuditSubject } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { cutPage } from '../ground/cut-page';
import { eventId, newId } from '../ground/ids';
import { Log } from '../ground/log';
import { isJsonObject } from '../ground/parse-body';
import { Random } from '../ground/random';
import { behindCursor, RelayError } from '../ground/relay-error';
import { SerialQueue } from '../ground/serial-queue';
import { outageUnknown, OutageStore } from '../outages/outage.store';
import { namedTargets } from '../targets/named-targets';
import { TargetsService } from '../targets/targets.service';
import { dealChanges, recordOf } from './compare-deal';
import {
  BUSY,
  FRESH_MS,
  notStarted,
  parseRepair,
  presentRepair,
  type RepairItemRow,
  type RepairRow,
} from './repair-row';
import { RepairWorker } from './repair.worker';

const MAX_CHANGES = 20;

/** Repairs: what was missed is found at Co-Pilot, previewed, and appended as synthetic events. */
@Injectable()
export class RepairsService {
  private readonly queue = new SerialQueue();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly worker: RepairWorker,
    private readonly states: EntityStatesQuery,
    private readonly outages: OutageStore,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** @throws RelayError `repair_running`, 409; `outage_unknown`, 404 */
  start({ purpose, outage_ids: ids, requests_per_minute }: RepairCreate): Promise<Repair> {
    return this.queue.run(async () => {
      await this.assertIdle();
      const outages = purpose === 'baseline' ? [] : await this.outagesOf(ids);
      const now = this.clock.now();
      const id = newId('rpr', now, this.random);
      setAuditSubject({ id, name: null });
      const row = {
        id,
        purpose,
        state: 'reading',
        outage_ids: JSON.stringify(outages.map((outage) => outage.id)),
        requests_per_minute,
        progress: JSON.stringify(notStarted()),
        created_at: now,
      };
      await this.journal.change({ statements: [insert('repairs', row)] });
      this.worker.run(await this.row(id));
      this.log.info({ repair: id, purpose }, 'repair started');
      return this.get(id);
    });
  }

  /** Newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<Repair>> {
    const before =
      cursor === undefined ? Number.MAX_SAFE_INTEGER : (await behindCursor(() => this.row(cursor))).number;
    const rows = await this.source.query<Record<string, unknown>[]>(
      'SELECT * FROM repairs WHERE number < ? ORDER BY number DESC LIMIT ?',
      [before, limit + 1],
    );
    return cutPage(
      rows.map((row) => this.present(parseRepair(row))),
      limit,
    );
  }

  /** @throws RelayError `repair_unknown`, 404 */
  async get(id: string): Promise<Repair> {
    return this.present(await this.row(id));
  }

  /** The deals that differ, by their text. @throws RelayError `repair_unknown`, 404 */
  async items(
    id: string,
    { action, limit, cursor = '' }: RepairItemQuery,
    mask: PayloadMask | null,
  ): Promise<Page<RepairItem>> {
    const { number, progress } = await this.row(id);
    const rows = await this.source.query<(RepairItemRow & { at: number | null })[]>(
      `SELECT i.*, (SELECT received_at FROM events WHERE seq = i.event_seq) AS at FROM repair_items i
       WHERE repair = ? AND entity > ? AND action = coalesce(?, action) ORDER BY entity LIMIT ?`,
      [number, cursor, action ?? null, limit + 1],
    );
    const seq = progress.read.high_seq ?? 0;
    const before = new Map(
      (
        await this.states.states(
          rows.map(({ entity }) => entity),
          seq,
        )
      ).map((state) => [state.entity, state]),
    );
    const items = rows.map((item): RepairItem => {
      const { entity, outcome, event_seq: eventSeq, at } = item;
      const body = Buffer.concat([Buffer.from('{"data":'), item.record, Buffer.from('}')]);
      const after = maskState({ type: 'deal.updated', name: null, body }, mask);
      const state = before.get(entity);
      const record = recordOf(after);
      const name = isJsonObject(record) ? record['name'] : null;
      const changes = dealChanges(state === undefined ? null : maskState(state, mask), record);
      return {
        id: entity,
        entity,
        name: typeof name === 'string' ? name : null,
        action: item.action,
        changes: changes.slice(0, MAX_CHANGES),
        outcome: outcome as RepairOutcome | null,
        event_id: at === null ? null : eventId(at, eventSeq!, this.journal.instanceId),
      };
    });
    return cutPage(items, limit);
  }

  /** @throws RelayError `repair_stale`, `repair_running`, `target_gone`, 409; `repair_unknown`, `target_unknown`, 404 */
  apply(id: string, { actions, target_ids: ids, events_per_second }: RepairApply): Promise<Repair> {
    return this.queue.run(async () => {
      const { number, state, read_at: readAt, progress } = await this.row(id);
      await this.assertIdle();
      if (state !== 'previewed' || this.clock.now() - readAt! > FRESH_MS) throw stale(id, state);
      if (ids !== undefined) namedTargets(this.targets, ids);
      const selected = JSON.stringify(actions);
      const [counted] = await this.source.query<{ total: number }[]>(
        `SELECT count(*) AS total FROM repair_items WHERE repair = ? AND action ${inJsonList('?', 'texts')}`,
        [number, selected],
      );
      const applied = { items: 0, events: 0, total: counted!.total };
      const changes = {
        state: 'applying',
        actions: selected,
        target_ids: ids === undefined ? null : JSON.stringify(ids),
        events_per_second,
        progress: JSON.stringify({ ...progress, applied }),
      };
      await this.journal.change({ statements: [update('repairs', id, changes)] });
      this.worker.run(await this.row(id));
      return this.get(id);
    });
  }

  /** Does nothing if it has ended. What was appended stays. @throws RelayError `repair_unknown`, 404 */
  cancel(id: string): Promise<Repair> {
    return this.queue.run(async () => {
      await this.row(id);
      const progress = this.worker.current?.id === id ? this.worker.current.progress : null;
      if (progress !== null) await this.worker.stop();
      const row = await this.row(id);
      if (row.ended_at === null) {
        const changes = { state: 'cancelled', ended_at: this.clock.now() };
        await this.journal.change({
          statements: [
            update('repairs', id, { ...changes, progress: JSON.stringify(progress ?? row.progress) }),
          ],
        });
      }
      return this.get(id);
    });
  }

  private async outagesOf(ids: readonly string[] | undefined): Promise<Outage[]> {
    if (ids === undefined) return this.outages.undismissed();
    const found = await this.outages.named(ids);
    const unknown = ids.find((id) => !found.some((outage) => outage.id === id));
    if (unknown !== undefined) throw outageUnknown(unknown);
    return found;
  }

  private present(row: RepairRow): Repair {
    const { current } = this.worker;
    return presentRepair(current?.id === row.id ? { ...row, progress: current.progress } : row);
  }

  private async assertIdle(): Promise<void> {
    const [busy] = await this.source.query<{ id: string }[]>(
      `SELECT id FROM repairs WHERE state ${inJsonList('?', 'texts')}`,
      [JSON.stringify(BUSY)],
    );
    if (busy === undefined) return;
    throw new RelayError('repair_running', 409, `${busy.id} is in progress.`, {
      remedy: 'Wait for it, or cancel it.',
    });
  }

  private async row(id: string): Promise<RepairRow> {
    const [row] = await this.source.query<Record<string, unknown>[]>('SELECT * FROM repairs WHERE id = ?', [
      id,
    ]);
    if (row !== undefined) return parseRepair(row);
    throw new RelayError('repair_unknown', 404, `There is no repair ${id}.`, {
      remedy: 'GET /api/v1/repairs lists the repairs.',
    });
  }
}

const stale = (id: string, state: RepairRow['state']) =>
  new RelayError(
    'repair_stale',
    409,
    state === 'previewed'
      ? `What ${id} has read is older than 15 minutes.`
      : `${id} is ${state}: only a repair that is previewed can be applied.`,
    { remedy: 'Start a new one with POST /api/v1/repairs.' },
  );
