import { Injectable } from '@nestjs/common';
import type { ReplayCreate, ReplayFilter, ReplayPreview, ReplayRate } from '../../contract/replay';
import type { Statement } from '../database/journal/statements';
import { Reader, type RequestSignal } from '../database/reading/reader';
import { matchBodies, takeBytes } from '../events/search/match-bodies';
import { SAMPLE_COUNT, sampleIntervals, type SeqInterval } from '../database/reading/read-in-chunks';
import { bodyConditions } from '../filters/body-conditions';
import { TargetsService } from '../targets/targets.service';
import { namedTargets } from '../targets/named-targets';
import {
  NEW_REPLAY,
  isIn,
  eventsInReplay,
  originalDeliveries,
  type Condition,
  type Destination,
} from './replay-conditions';
import { isoOrNull } from '../ground/iso-time';
import { MAX_WAIT_MS } from './pacing';

/** Up to this many stored events are counted exactly; beyond that, the count is estimated from samples. */
const MAX_COUNTED_EVENTS = 100_000;
/** The same limit if bodies must be read, and how much of them is read per sample. */
const MAX_READ_EVENTS = 10_000;
const BYTES_PER_SAMPLE = 2 * 1024 * 1024;

const PERIOD_S = { second: 1, minute: 60 } as const;

/** What a replay would send. Times are ms since 1970. */
export interface ReplayCount {
  events: number;
  estimated: boolean;
  oldestAt: number | null;
  newestAt: number | null;
  untilSeq: number;
  byType: Map<string, number>;
  /** By target id. */
  byTarget: Map<string, number>;
}

interface TypeRow {
  type: string;
  events: number;
  oldest: number;
  newest: number;
}

/** Counts what a replay would send, in bounded time however many events are stored. */
@Injectable()
export class PreviewReplayQuery {
  constructor(
    private readonly reader: Reader,
    private readonly targets: TargetsService,
  ) {}

  /** @throws RelayError `target_unknown`, 404; `target_gone`, 409; `filter_invalid`, 422 */
  async preview(
    { filter, target_ids: targetIds, rate }: ReplayCreate,
    signal?: RequestSignal,
  ): Promise<ReplayPreview> {
    const total = await this.count(filter, targetIds ?? null, signal);
    const hasDisabled = targetIds === undefined && this.targets.all().some(({ enabled }) => !enabled);
    const disabled = hasDisabled ? await this.countTo(filter, 'disabled', [], signal) : null;
    const deliveries = [...total.byTarget.values()].reduce((sum, count) => sum + count, 0);
    return {
      events: total.events,
      deliveries,
      estimated: total.estimated,
      oldest_at: isoOrNull(total.oldestAt),
      newest_at: isoOrNull(total.newestAt),
      until_seq: total.untilSeq,
      by_type: [...total.byType].map(([type, events]) => ({ type, events })),
      by_target: presentCounts(total.byTarget),
      disabled_targets: presentCounts(disabled?.byTarget ?? new Map()),
      duration_s: this.durationOf(rate, total),
    };
  }

  /** @throws RelayError as `preview` does */
  count(
    filter: ReplayFilter,
    targetIds: readonly string[] | null,
    signal?: RequestSignal,
  ): Promise<ReplayCount> {
    const named = namedTargets(this.targets, targetIds ?? []).map(({ id }) => id);
    return this.countTo(filter, targetIds === null ? 'enabled' : 'named', named, signal);
  }

  private async countTo(
    filter: ReplayFilter,
    to: Destination,
    named: readonly string[],
    signal?: RequestSignal,
  ): Promise<ReplayCount> {
    const [range] = await this.reader.all<{ oldest: number | null; newest: number | null }>([
      'SELECT (SELECT min(seq) FROM events) AS oldest, (SELECT max(seq) FROM events) AS newest',
      [],
    ]);
    const untilSeq = Math.min(filter.until_seq ?? Infinity, range?.newest ?? 0);
    const all = { after: (range?.oldest ?? 1) - 1, through: untilSeq };
    const size = Math.max(0, all.through - all.after);
    const conditions = bodyConditions(filter);
    const limit = conditions === null ? MAX_COUNTED_EVENTS : MAX_READ_EVENTS;
    const step = limit / SAMPLE_COUNT;

    const byType = new Map<string, number>();
    const byNumber = new Map<number, number>();
    const times: number[] = [];
    let checkedEvents = 0;
    const intervals = size > limit ? sampleIntervals(all, step) : splitInterval(all, step);
    // A read of chosen events is short, however far apart they are.
    for (const requested of filter.seqs === undefined ? intervals : [all]) {
      const { checked: interval, events: matching } = await this.findMatching(
        filter,
        conditions,
        to,
        requested,
        signal,
      );
      checkedEvents += interval.through - interval.after;
      for (const { type, events, oldest, newest } of await this.types(matching, signal)) {
        byType.set(type, (byType.get(type) ?? 0) + events);
        times.push(oldest, newest);
      }
      if (to === 'named') continue;
      for (const { target, deliveries } of await this.originals(filter, to, matching, signal))
        byNumber.set(target, (byNumber.get(target) ?? 0) + deliveries);
    }
    const estimated = checkedEvents < size;
    const factor = estimated ? size / checkedEvents : 1;
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
      byTarget: new Map(to === 'named' ? named.map((id) => [id, events]) : originals),
    };
  }

  /**
   * The events of an interval that are part of the replay. If too much would have to be read, the interval is
   * shortened.
   */
  private async findMatching(
    filter: ReplayFilter,
    conditions: string | null,
    to: Destination,
    interval: SeqInterval,
    signal?: RequestSignal,
  ): Promise<{ checked: SeqInterval; events: Condition }> {
    const events = eventsInReplay(filter, to, interval, NEW_REPLAY);
    if (conditions === null) return { checked: interval, events };
    const heads = await this.reader.all<{ seq: number; size: number }>(
      [
        `SELECT e.seq AS seq, length(e.body) AS size FROM events e WHERE ${events.sql} ORDER BY e.seq`,
        events.parameters,
      ],
      signal,
    );
    const read = takeBytes(BYTES_PER_SAMPLE, heads);
    const matching = await matchBodies({ heads: read, conditions, reader: this.reader, signal });
    return {
      checked: { ...interval, through: read.length < heads.length ? read.at(-1)!.seq : interval.through },
      events: isIn('e.seq', [...matching.keys()]),
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
    to: Destination,
    events: Condition,
    signal?: RequestSignal,
  ): Promise<{ target: number; deliveries: number }[]> {
    const deliveries = originalDeliveries(filter, to, NEW_REPLAY);
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
      return Math.min(((newestAt ?? 0) - (oldestAt ?? 0)) / rate.pace, events * MAX_WAIT_MS) / 1_000;
    }
    const limited = [...byTarget].flatMap(([id, deliveries]) => {
      const { rate: limit } = this.targets.byId(id).policy;
      return limit === null ? [] : [(deliveries / limit.limit) * PERIOD_S[limit.per]];
    });
    return limited.length === 0 ? null : Math.max(...limited);
  }
}

const presentCounts = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([id, deliveries]) => ({ target_id: id, deliveries }));

/** Splits an interval, since each read blocks the reader thread. */
function* splitInterval({ after, through }: SeqInterval, step: number): Generator<SeqInterval> {
  for (let from = after; from < through; from += step)
    yield { after: from, through: Math.min(from + step, through) };
}
