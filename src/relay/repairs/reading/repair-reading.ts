import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RepairAction } from '../../../contract/repair';
import { inJsonList } from '../../database/reading/dialect';
import { EntityStatesQuery, type EntityState } from '../../events/entities/entity-states.query';
import { WalkEntitiesQuery } from '../../events/entities/walk-entities.query';
import { FindEventsQuery } from '../../events/search/find-events.query';
import { Clock } from '../../ground/clock';
import { isJsonObject, parseExactJson } from '../../ground/parse-body';
import { sliceMember } from '../../ground/slice-member';
import { Settings } from '../../settings/settings';
import { isDeleted } from '../../events/entities/present-state';
import { compareDeal, recordOf } from '../compare-deal';
import { Pace, waitUntil } from '../pacing';
import {
  noCounts,
  SETTLING_MS,
  type RepairItemRow,
  type RepairProgress,
  type RepairRow,
} from '../repair-row';
import { DealsApi } from './deals-api';
import { DealsReading } from './deals-reading';
import type { DealsPage, ListedDeal } from './read-deals';

const MAX_DIFFERING = 50_000;
const MAX_ASKED = 1_000;
/** Deals compared at a time, on the main thread. */
const CHUNK = 100;

const MAX_FAILURES = 5;
const RETRY_MS = 5_000;

export type FoundItem = Pick<RepairItemRow, 'entity' | 'action' | 'version' | 'record'> & {
  /** What is known of the deal. */
  state: EntityState | null;
};

/** The list of deals cannot be read. */
export class ReadingFailed extends Error {
  constructor(
    readonly reason: string,
    readonly remedy: string | null,
  ) {
    super(reason);
  }
}

/** What may differ. */
export interface Candidates {
  differing: Map<string, ListedDeal>;
  absent: string[];
  /** The newest erasure when the reading began. */
  erasure: number;
}

const entityOf = ({ id }: { id: string }) => `deal:${id}`;

/** Reads all deals from Co-Pilot, and compares them with what is known. Memory holds only those that differ. */
@Injectable()
export class RepairReading {
  constructor(
    private readonly api: DealsApi,
    private readonly entities: WalkEntitiesQuery,
    private readonly states: EntityStatesQuery,
    private readonly events: FindEventsQuery,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly source: DataSource,
  ) {}

  /**
   * Reads everything. Progress is written to `row`.
   * @returns what may differ, for `settle`
   * @throws ReadingFailed; AbortError
   */
  async read(row: RepairRow, signal: AbortSignal): Promise<Candidates> {
    const { progress } = row;
    const pace = new Pace(row.requests_per_minute / 60, this.clock, signal);
    progress.counts = noCounts();
    progress.read.low_seq = await this.events.newestSeq();
    const erasure = await this.newestErasure();
    const reading = new DealsReading();
    const differing = new Map<string, ListedDeal>();
    while (reading.next !== null) {
      const page = await this.page(reading, progress, pace, signal);
      if (page !== null) {
        progress.counts.unreadable += page.unreadable;
        for (const deals of chunksOf(reading.take(page))) await this.compare(deals, differing, row);
      }
      Object.assign(progress.read, reading.progress);
    }
    if (differing.size >= MAX_DIFFERING)
      progress.read.incomplete_because = `Only the first ${MAX_DIFFERING} deals that differ are listed: repair again after this one.`;
    const asks = row.purpose === 'repair' && reading.progress.complete;
    const absent = asks ? await this.findAbsent(reading.seen, row, pace) : [];
    return { differing, absent, erasure };
  }

  /**
   * Waits until notifications of what was read have arrived, and compares again. What was erased meanwhile is left out:
   * nothing else would erase it once more. @throws AbortError
   */
  async *settle(row: RepairRow, found: Candidates, signal: AbortSignal): AsyncGenerator<FoundItem[]> {
    const { read, counts } = row.progress;
    await waitUntil(this.clock.monotonic() + SETTLING_MS, this.clock, signal);
    read.high_seq = await this.events.newestSeq();
    for (const deals of chunksOf([...found.differing.values()])) {
      signal.throwIfAborted();
      const entities = deals.map(entityOf);
      const known = await this.statesOf(entities, read.high_seq);
      const erased = await this.erasedSince(found.erasure, entities);
      yield deals.flatMap((deal): FoundItem[] => {
        if (erased.has(entityOf(deal))) return [];
        const state = known.get(entityOf(deal)) ?? null;
        const action = this.resultOf(deal, state, read.low_seq!);
        counts[action] += 1;
        if (action !== 'changed' && action !== 'missing') return [];
        return [
          { entity: entityOf(deal), action, version: deal.version, record: Buffer.from(deal.json), state },
        ];
      });
    }
    for (const entities of chunksOf(found.absent)) {
      signal.throwIfAborted();
      const known = await this.statesOf(entities, read.high_seq);
      const erased = await this.erasedSince(found.erasure, entities);
      yield entities.flatMap((entity): FoundItem[] => {
        const state = known.get(entity);
        // Without a state if its events were erased one by one.
        if (state === undefined || erased.has(entity)) return [];
        const action: RepairAction | null = state.seq > read.low_seq! ? null : 'absent';
        counts[action ?? 'arrived_meanwhile'] += 1;
        const record = sliceMember(state.body, 'data')!;
        return action === null ? [] : [{ entity, action, version: state.version, record, state }];
      });
    }
  }

  /** @returns null if there is no such page */
  private async page(
    reading: DealsReading,
    progress: RepairProgress,
    pace: Pace,
    signal: AbortSignal,
  ): Promise<DealsPage | null> {
    for (let failures = 0; ; failures += 1) {
      await pace.next();
      const outcome = await this.api.page(reading.next!);
      if (outcome.kind === 'page') {
        progress.problem = null;
        return outcome.page;
      }
      const { reason, remedy } = outcome;
      progress.problem = { reason, remedy };
      if (outcome.kind === 'failed' || failures >= MAX_FAILURES) {
        if (!reading.refuse()) throw new ReadingFailed(reason, remedy);
        progress.problem = null;
        return null;
      }
      const waitMs = outcome.waitMs ?? RETRY_MS * 2 ** failures;
      await waitUntil(this.clock.monotonic() + waitMs, this.clock, signal);
    }
  }

  private async compare(
    deals: readonly ListedDeal[],
    differing: Map<string, ListedDeal>,
    { purpose, progress: { counts, read } }: RepairRow,
  ): Promise<void> {
    const known = await this.statesOf(deals.map(entityOf));
    for (const deal of deals) {
      const result = this.resultOf(deal, known.get(entityOf(deal)) ?? null, read.low_seq!);
      const differs = result === 'missing' || (result === 'changed' && purpose === 'repair');
      if (!differs) counts[result] += 1;
      else if (differing.size < MAX_DIFFERING) differing.set(deal.id, deal);
    }
  }

  private resultOf({ version, json }: ListedDeal, state: EntityState | null, lowSeq: number) {
    return compareDeal({ version, record: parseExactJson(json) }, state, lowSeq);
  }

  /** The known deals that were not read and do not exist: each is asked for once. */
  private async findAbsent(
    seen: ReadonlySet<string>,
    { progress }: RepairRow,
    pace: Pace,
  ): Promise<string[]> {
    const absent: string[] = [];
    let asked = 0;
    const walk = { asOf: progress.read.low_seq!, kind: 'deal' };
    for await (const { found } of this.entities.byName(walk, '')) {
      const unseen = found
        .map(({ item }) => item)
        .filter((entity) => !seen.has(entity.slice('deal:'.length)));
      for (const state of (await this.statesOf(unseen)).values()) {
        const path = this.ownPath(state);
        const isAsked = !isDeleted(state.type) && state.seq <= progress.read.low_seq! && path !== null;
        if (!isAsked || asked >= MAX_ASKED) continue;
        asked += 1;
        await pace.next();
        if ((await this.api.isGone(path)) === true) absent.push(state.entity);
      }
    }
    return absent;
  }

  /** The path of a deal (document, 2.1), if it is one of this Co-Pilot. */
  private ownPath(state: EntityState): string | null {
    const record = recordOf(state);
    const links = isJsonObject(record) ? record['_links'] : null;
    const self = isJsonObject(links) ? links['self'] : null;
    const { baseUrl } = this.settings.copilot;
    if (typeof self !== 'string' || !URL.canParse(self)) return null;
    const { href } = new URL(self);
    const base = `${new URL(baseUrl).href.replace(/\/$/, '')}/`;
    return href.startsWith(base) ? href.slice(base.length - 1) : null;
  }

  private async newestErasure(): Promise<number> {
    const sql = 'SELECT coalesce(max(number), 0) AS number FROM erasures';
    return (await this.source.query<{ number: number }[]>(sql))[0]!.number;
  }

  private async erasedSince(erasure: number, entities: readonly string[]): Promise<Set<string>> {
    const rows = await this.source.query<{ entity: string }[]>(
      `SELECT entity FROM erasures WHERE number > ? AND entity ${inJsonList('?', 'texts')}`,
      [erasure, JSON.stringify(entities)],
    );
    return new Set(rows.map(({ entity }) => entity));
  }

  private async statesOf(
    entities: readonly string[],
    seq = Number.MAX_SAFE_INTEGER,
  ): Promise<Map<string, EntityState>> {
    const states = await this.states.states(entities, seq);
    return new Map(states.map((state) => [state.entity, state]));
  }
}

function* chunksOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += CHUNK) yield items.slice(from, from + CHUNK);
}
