import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Page, PageQuery } from '../../contract/page';
import type {
  ReplayCreate,
  ReplayDetail,
  ReplayFilter,
  ReplaySummary,
  ReplayState,
} from '../../contract/replay';
import { Clock } from '../ground/clock';
import { setAuditSubject } from '../ground/audit-context';
import { Journal, type ScheduleDraft } from '../database/journal/journal';
import { insert, type Statement } from '../database/journal/statements';
import { Reader } from '../database/reading/reader';
import { newId, type DeliveryKey } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { behindCursor, RelayError } from '../ground/relay-error';
import { PreviewReplayQuery } from './preview-replay.query';
import { UNTIL_SEQ_PENDING, parseReplay, presentReplay, SELECT_REPLAY, type ReplayRow } from './replay-row';
import { ReplayWorker } from './replay.worker';
import { PausedTargets } from './paused-targets';
import { tallyReplay } from './count-deliveries';
import { cutPage } from '../ground/cut-page';

/** A replay to store and run. */
type ReplayDraft = Omit<
  ReplayRow,
  'number' | 'state' | 'removed' | 'tracks' | 'report' | 'ended_at' | 'event_received_at'
>;

/** The progress of a replay of several events before its first step. */
const NOT_STARTED = { event_seq: null, position: 0, events: 0, deliveries: 0 } as const;

/** Replays: new deliveries created from stored events, as a stored plan with its progress. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly preview: PreviewReplayQuery,
    private readonly worker: ReplayWorker,
    private readonly paused: PausedTargets,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** Events that arrive later are not part of it. @throws RelayError `target_unknown`, 404; `target_gone`, 409 */
  async start({ filter, target_ids: targetIds, rate }: ReplayCreate): Promise<ReplayDetail> {
    const ids = targetIds === undefined ? null : [...new Set(targetIds)];
    const now = this.clock.now();
    const count = await this.preview.count(filter, ids);
    const id = newId('rpl', now, this.random);
    setAuditSubject({ id, name: null });
    await this.insert({
      ...NOT_STARTED,
      id,
      filter,
      target_ids: ids,
      rate,
      until_seq: count.untilSeq,
      total: count.events,
      estimated: count.estimated,
      newest_at: count.newestAt,
      created_at: now,
    });
    this.log.info({ replay: id, events: count.events, targets: ids, rate }, 'replay started');
    return this.get(id);
  }

  /** Stores a replay with its first deliveries, and runs it. */
  async insert(draft: ReplayDraft, deliveries: ScheduleDraft[] = []): Promise<DeliveryKey[]> {
    const { scheduled } = await this.journal.change({
      statements: [insertStatement(draft)],
      schedule: deliveries,
    });
    await this.run(draft.id);
    return scheduled;
  }

  /**
   * A replay to a target that is being created, and the statement that stores it. Call `run` once it is committed.
   */
  draftFor(targetId: string, filter: ReplayFilter): { id: string; statement: Statement } {
    const now = this.clock.now();
    const id = newId('rpl', now, this.random);
    const statement = insertStatement({
      ...NOT_STARTED,
      id,
      filter,
      target_ids: [targetId],
      rate: 'as_fast_as_allowed',
      until_seq: UNTIL_SEQ_PENDING,
      total: 0,
      estimated: false,
      newest_at: null,
      created_at: now,
    });
    return { id, statement };
  }

  /** Runs a stored replay. */
  async run(id: string): Promise<void> {
    this.worker.add(await this.row(id));
  }

  /** Newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<ReplaySummary>> {
    const before =
      cursor === undefined ? Number.MAX_SAFE_INTEGER : (await behindCursor(() => this.row(cursor))).number;
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.number < ? ORDER BY r.number DESC LIMIT ?`,
      [before, limit + 1],
    );
    const { data, next_cursor } = cutPage(rows.map(parseReplay), limit);
    return { data: await this.present(data), next_cursor };
  }

  /** @throws RelayError `replay_unknown`, 404 */
  async get(id: string): Promise<ReplayDetail> {
    const row = await this.row(id);
    const [plan] = await this.present([row]);
    return { ...plan!, report: row.report ?? (await tallyReplay(id, this.reader)) };
  }

  /** What became of the deliveries that a job has created by retrying dead letters, as of those of a replay. */
  async retriedBy(job: string): Promise<Pick<ReplayDetail, 'report' | 'waiting_for'>> {
    const [report, waitedFor] = await Promise.all([
      tallyReplay(job, this.reader),
      this.paused.waitedFor([job]),
    ]);
    return { report, waiting_for: waitedFor.get(job) ?? [] };
  }

  /**
   * Creates no further deliveries; queued ones are still sent.
   * @throws RelayError `replay_unknown`, 404; `replay_ended`, 409
   */
  pause(id: string): Promise<ReplayDetail> {
    return this.transition(id, ['running'], 'paused');
  }

  /** Continues at its position. @throws RelayError as `pause` does */
  resume(id: string): Promise<ReplayDetail> {
    return this.transition(id, ['paused'], 'running');
  }

  /** Cancels the queued deliveries in steps, then ends the replay. @throws RelayError as `pause` does */
  cancel(id: string): Promise<ReplayDetail> {
    return this.transition(id, ['running', 'paused'], 'cancelling');
  }

  /** Does nothing if the replay is already in that state. */
  private async transition(id: string, from: ReplayState[], to: ReplayState): Promise<ReplayDetail> {
    await this.row(id);
    const changed = await this.worker.transition(id, from, to);
    const replay = await this.get(id);
    if (changed || replay.state === to || (to === 'cancelling' && replay.state === 'cancelled'))
      return replay;
    throw new RelayError('replay_ended', 409, `${id} is ${replay.state}.`, {
      remedy: 'Start a new one with POST /api/v1/replays.',
    });
  }

  private async present(rows: readonly ReplayRow[]): Promise<ReplaySummary[]> {
    const running = rows.filter(({ state }) => state === 'running').map(({ id }) => id);
    const waitedFor = await this.paused.waitedFor(running);
    return rows.map((row) =>
      presentReplay(row, this.worker.speed(row.id), waitedFor.get(row.id) ?? [], this.journal.instanceId),
    );
  }

  /** The current state of these replays. */
  async byIds(ids: readonly string[]): Promise<ReplaySummary[]> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.id IN (${ids.map(() => '?').join(', ')}) ORDER BY r.number DESC`,
      [...ids],
    );
    return this.present(rows.map(parseReplay));
  }

  /** Calls `listener` with the id of a replay once a change of its progress or state is on disk. */
  onChange(listener: (id: string) => void): void {
    this.worker.onChange(listener);
  }

  private async row(id: string): Promise<ReplayRow> {
    const [row] = await this.source.query<unknown[]>(`${SELECT_REPLAY} WHERE r.id = ?`, [id]);
    if (row !== undefined) return parseReplay(row);
    throw new RelayError('replay_unknown', 404, `There is no replay ${id}.`, {
      remedy: 'GET /api/v1/replays lists the replays.',
    });
  }
}

function insertStatement(draft: ReplayDraft): Statement {
  return insert('replays', {
    ...draft,
    state: 'running' satisfies ReplayState,
    filter: JSON.stringify(draft.filter),
    target_ids: draft.target_ids === null ? null : JSON.stringify(draft.target_ids),
    rate: JSON.stringify(draft.rate),
  });
}
