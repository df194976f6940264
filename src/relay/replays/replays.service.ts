import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Page } from '../../contract/page';
import type {
  ReplayCreate,
  ReplayDetail,
  ReplayFilter,
  ReplayPlan,
  ReplayQuery,
  ReplayState,
} from '../../contract/replay';
import { Clock } from '../ground/clock';
import { setAuditSubject } from '../ground/audit-context';
import { Journal, type ScheduleDraft, type Statement } from '../database/journal';
import { Reader } from '../database/reader';
import { newId, type DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { findWaits } from './find-waits';
import { PreviewReplay } from './preview-replay';
import { NOT_FROZEN, parseReplay, presentReplay, SELECT_REPLAY, type ReplayRow } from './replay-row';
import { ReplayRunner } from './replay-runner';
import { PausedTargets } from './paused-targets';
import { tallyReplay } from './tally-replay';

/** A replay to be stored, running from then on. */
type ReplayDraft = Omit<
  ReplayRow,
  'number' | 'state' | 'gone' | 'tracks' | 'report' | 'ended_at' | 'event_received_at'
>;

/** Replays: new deliveries out of stored events, as a plan that is stored with how far it has come. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly preview: PreviewReplay,
    private readonly runner: ReplayRunner,
    private readonly resting: PausedTargets,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** Whatever arrives from now on is not part of it. @throws RelayError `target_unknown`, 404 */
  async start({ filter, target_ids: targetIds, rate }: ReplayCreate): Promise<ReplayDetail> {
    const ids = targetIds === undefined ? null : [...new Set(targetIds)];
    const now = this.clock.now();
    const count = await this.preview.count(filter, ids);
    const id = newId('rpl', now, this.random);
    setAuditSubject({ id, name: null });
    await this.insert({
      id,
      filter,
      event_seq: null,
      target_ids: ids,
      rate,
      until_seq: count.untilSeq,
      position: 0,
      total: count.events,
      estimated: count.estimated,
      newest_at: count.newestAt,
      events: 0,
      deliveries: 0,
      created_at: now,
    });
    this.log.info({ replay: id, events: count.events, targets: ids, rate }, 'replay');
    return this.get(id);
  }

  /** Stores a replay with the deliveries that it begins with. */
  async insert(draft: ReplayDraft, deliveries: ScheduleDraft[] = []): Promise<DeliveryKey[]> {
    const { scheduled } = await this.journal.change([insertion(draft)], deliveries);
    await this.begin(draft.id);
    return scheduled;
  }

  /** What stores a replay to a target that is being made: it is held to what is stored once that target takes events. */
  draftFor(targetId: string, filter: ReplayFilter): { id: string; statement: Statement } {
    const now = this.clock.now();
    const id = newId('rpl', now, this.random);
    const statement = insertion({
      id,
      filter,
      event_seq: null,
      target_ids: [targetId],
      rate: 'as_fast_as_allowed',
      until_seq: NOT_FROZEN,
      position: 0,
      total: 0,
      estimated: false,
      newest_at: null,
      events: 0,
      deliveries: 0,
      created_at: now,
    });
    return { id, statement };
  }

  /** Runs what is stored. */
  async begin(id: string): Promise<void> {
    this.runner.follow(await this.row(id));
  }

  /** Newest first. */
  async list({ limit, cursor }: ReplayQuery): Promise<Page<ReplayPlan>> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : (await this.row(cursor)).number;
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.number < ? ORDER BY r.number DESC LIMIT ?`,
      [before, limit + 1],
    );
    const page = await this.present(rows.slice(0, limit).map(parseReplay));
    return { data: page, next_cursor: rows.length > limit ? page.at(-1)!.id : null };
  }

  /** @throws RelayError `replay_unknown`, 404 */
  async get(id: string): Promise<ReplayDetail> {
    const row = await this.row(id);
    const [plan] = await this.present([row]);
    return { ...plan!, report: row.report ?? (await tallyReplay(id, this.reader)) };
  }

  /** What is open goes on; nothing is added to it. @throws RelayError `replay_unknown`, 404; `replay_ended`, 409 */
  pause(id: string): Promise<ReplayDetail> {
    return this.transition(id, ['running'], 'paused');
  }

  /** From where it stood. @throws RelayError as `pause` does */
  resume(id: string): Promise<ReplayDetail> {
    return this.transition(id, ['paused'], 'running');
  }

  /** What is open is cancelled, step by step; then it has ended. @throws RelayError as `pause` does */
  cancel(id: string): Promise<ReplayDetail> {
    return this.transition(id, ['running', 'paused'], 'cancelling');
  }

  /** A replay that is so already stays as it is. */
  private async transition(id: string, from: ReplayState[], to: ReplayState): Promise<ReplayDetail> {
    await this.row(id);
    const changed = await this.runner.transition(id, from, to);
    const replay = await this.get(id);
    if (changed || replay.state === to || (to === 'cancelling' && replay.state === 'cancelled'))
      return replay;
    throw new RelayError('replay_ended', 409, `${id} is ${replay.state}.`, {
      remedy: 'POST /api/v1/replays starts another one.',
    });
  }

  private async present(rows: readonly ReplayRow[]): Promise<ReplayPlan[]> {
    const running = rows.filter(({ state }) => state === 'running').map(({ id }) => id);
    const waits = await findWaits(running, this.resting.all(), this.reader);
    return rows.map((row) =>
      presentReplay(row, this.runner.speed(row.id), waits.get(row.id) ?? [], this.journal.instanceId),
    );
  }

  /** Of these ids, as they are now. */
  async plans(ids: readonly string[]): Promise<ReplayPlan[]> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.id IN (${ids.map(() => '?').join(', ')}) ORDER BY r.number DESC`,
      [...ids],
    );
    return this.present(rows.map(parseReplay));
  }

  /** Told the id of a replay that has come further, or whose state has changed, after it is on disk. */
  onChange(listener: (id: string) => void): void {
    this.runner.onChange(listener);
  }

  private async row(id: string): Promise<ReplayRow> {
    const [row] = await this.source.query<unknown[]>(`${SELECT_REPLAY} WHERE r.id = ?`, [id]);
    if (row !== undefined) return parseReplay(row);
    throw new RelayError('replay_unknown', 404, `There is no replay ${id}.`, {
      remedy: 'GET /api/v1/replays lists them.',
    });
  }
}

function insertion(draft: ReplayDraft): Statement {
  const columns = {
    ...draft,
    state: 'running' satisfies ReplayState,
    filter: JSON.stringify(draft.filter),
    target_ids: draft.target_ids === null ? null : JSON.stringify(draft.target_ids),
    rate: JSON.stringify(draft.rate),
  };
  const names = Object.keys(columns);
  return [
    `INSERT INTO replays(${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    Object.values(columns),
  ];
}
