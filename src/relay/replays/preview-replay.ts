import { Injectable } from '@nestjs/common';
import type { ReplayCreate, ReplayFilter, ReplayPreview, ReplayRate } from '../../contract/replay';
import type { Statement } from '../database/journal';
import { Reader, type RequestSignal } from '../database/reader';
import { matchingContent, within } from '../events/search/matching-content';
import { SAMPLES, samplesOf, type Window } from '../events/search/seq-window';
import { filterText } from '../filters/compile-filter';
import { TargetsService } from '../targets/targets.service';
import { among, narrowEvents, originalDeliveries, type Condition } from './narrow-events';

/** Up to so many events are counted one by one; of more, samples are taken. */
const COUNTED_EVENTS = 100_000;
/** Where their content has to be read, and so much of that for each sample. */
const READ_EVENTS = 10_000;
const READ_BYTES = 2 * 1024 * 1024;

const PERIOD_S = { second: 1, minute: 60 } as const;

/** What a replay would send. Times are ms since 1970. */
export interface ReplayCount {
  events: number;
  estimated: boolean;
  oldestAt: number | null;
  newestAt: number | null;
  untilSeq: number;
  byType: Map<string, number>;
  /** By the target's id. */
  byTarget: Map<string, number>;
}

interface TypeRow {
  type: string;
  events: number;
  oldest: number;
  newest: number;
}

/** Counts what a replay would send, with work that is bounded however much is stored. */
@Injectable()
export class PreviewReplay {
  constructor(
    private readonly reader: Reader,
    private readonly targets: TargetsService,
  ) {}

  /** @throws RelayError `target_unknown`, 404; `filter_refused`, 422 */
  async preview(
    { filter, target_ids: targetIds, rate }: ReplayCreate,
    signal?: RequestSignal,
  ): Promise<ReplayPreview> {
    const count = await this.count(filter, targetIds ?? null, signal);
    const deliveries = [...count.byTarget.values()].reduce((sum, one) => sum + one, 0);
    return {
      events: count.events,
      deliveries,
      estimated: count.estimated,
      oldest_at: instant(count.oldestAt),
      newest_at: instant(count.newestAt),
      until_seq: count.untilSeq,
      by_type: [...count.byType].map(([type, events]) => ({ type, events })),
      by_target: [...count.byTarget].map(([target_id, some]) => ({ target_id, deliveries: some })),
      duration_s: this.durationOf(rate, count),
    };
  }

  /** @throws RelayError as `preview` does */
  async count(
    filter: ReplayFilter,
    targetIds: readonly string[] | null,
    signal?: RequestSignal,
  ): Promise<ReplayCount> {
    const named = targetIds === null ? null : [...new Set(targetIds)].map((id) => this.targets.byId(id).id);
    const [range] = await this.reader.all<{ oldest: number | null; newest: number | null }>([
      'SELECT (SELECT min(seq) FROM events) AS oldest, (SELECT max(seq) FROM events) AS newest',
      [],
    ]);
    const untilSeq = Math.min(filter.until_seq ?? Infinity, range?.newest ?? 0);
    const all = { after: (range?.oldest ?? 1) - 1, through: untilSeq };
    const size = Math.max(0, all.through - all.after);
    const payload = filter.payload === undefined ? null : filterText(filter.payload);
    const counted = payload === null ? COUNTED_EVENTS : READ_EVENTS;
    const step = counted / SAMPLES;

    const byType = new Map<string, number>();
    const byNumber = new Map<number, number>();
    const times: number[] = [];
    let looked = 0;
    for (const wanted of size > counted ? samplesOf(all, step) : piecesOf(all, step)) {
      const { window, events: matching } = await this.lookAt(filter, payload, named !== null, wanted, signal);
      looked += window.through - window.after;
      for (const { type, events, oldest, newest } of await this.types(matching, signal)) {
        byType.set(type, (byType.get(type) ?? 0) + events);
        times.push(oldest, newest);
      }
      if (named !== null) continue;
      for (const { target, deliveries } of await this.originals(filter, matching, signal))
        byNumber.set(target, (byNumber.get(target) ?? 0) + deliveries);
    }
    const estimated = looked < size;
    const factor = estimated ? size / looked : 1;
    const scaled = <Key>(counts: Map<Key, number>) =>
      new Map([...counts].map(([key, count]) => [key, Math.round(count * factor)]));
    const types = scaled(byType);
    const events = [...types.values()].reduce((sum, one) => sum + one, 0);
    const originals = [...scaled(byNumber)].flatMap(([number, count]) => {
      const target = this.targets.byNumber(number);
      return target === null ? [] : [[target.id, count] as const];
    });
    return {
      events,
      estimated,
      oldestAt: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
      newestAt: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
      untilSeq,
      byType: types,
      byTarget: new Map(named === null ? originals : named.map((id) => [id, events])),
    };
  }

  /** Which events of a window are part of it. Their content is read as far as it is not too much: there the window ends. */
  private async lookAt(
    filter: ReplayFilter,
    payload: string | null,
    named: boolean,
    wanted: Window,
    signal?: RequestSignal,
  ): Promise<{ window: Window; events: Condition }> {
    const events = narrowEvents(filter, named, wanted);
    if (payload === null) return { window: wanted, events };
    const heads = await this.reader.all<{ seq: number; size: number }>(
      [
        `SELECT e.seq AS seq, length(e.body) AS size FROM events e WHERE ${events.sql} ORDER BY e.seq`,
        events.parameters,
      ],
      signal,
    );
    const read = within(READ_BYTES, heads);
    const matching = await matchingContent({ heads: read, filter: payload, reader: this.reader, signal });
    return {
      window: { ...wanted, through: read.length < heads.length ? read.at(-1)!.seq : wanted.through },
      events: among('e.seq', [...matching]),
    };
  }

  private types({ sql, parameters }: Condition, signal?: RequestSignal): Promise<TypeRow[]> {
    const statement: Statement = [
      `SELECT e.type AS type, count(*) AS events, min(e.received_at) AS oldest, max(e.received_at) AS newest
       FROM events e WHERE ${sql} GROUP BY e.type`,
      parameters,
    ];
    return this.reader.all<TypeRow>(statement, signal);
  }

  private originals(
    filter: ReplayFilter,
    events: Condition,
    signal?: RequestSignal,
  ): Promise<{ target: number; deliveries: number }[]> {
    const deliveries = originalDeliveries(filter, false);
    return this.reader.all(
      [
        `SELECT d.target_id AS target, count(*) AS deliveries FROM events e JOIN deliveries d ON ${deliveries.sql}
       WHERE ${events.sql} GROUP BY d.target_id`,
        [...deliveries.parameters, ...events.parameters],
      ],
      signal,
    );
  }

  private durationOf(rate: ReplayRate, count: ReplayCount): number | null {
    const { events, oldestAt, newestAt, byTarget } = count;
    if (events === 0) return 0;
    if (rate !== 'as_fast_as_allowed') {
      if ('per_second' in rate) return events / rate.per_second;
      return ((newestAt ?? 0) - (oldestAt ?? 0)) / rate.pace / 1_000;
    }
    const limited = [...byTarget].flatMap(([id, deliveries]) => {
      const { rate: allowed } = this.targets.byId(id).policy;
      return allowed === null ? [] : [(deliveries / allowed.limit) * PERIOD_S[allowed.per]];
    });
    return limited.length === 0 ? null : Math.max(...limited);
  }
}

/** All of it, piece by piece: a read holds the thread that reads no longer than that. */
function* piecesOf({ after, through }: Window, step: number): Generator<Window> {
  for (let from = after; from < through; from += step)
    yield { after: from, through: Math.min(from + step, through) };
}

const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
