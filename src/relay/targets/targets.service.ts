import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { TargetPatch } from '../../contract/target';
import { Clock } from '../ground/clock';
import { Leadership } from '../ground/leadership';
import { setAuditFields, setAuditSubject, showsSecret } from '../ground/audit-context';
import { Journal } from '../database/journal/journal';
import { update, type Statement } from '../database/journal/statements';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import { SerialQueue } from '../ground/serial-queue';
import { AddressGuard } from './address-guard';
import { assertNameFree, assertBelowLimit } from './target-constraints';
import { createConfiguredTargets } from './configured-targets';
import { cancelQueued, REMOVED_WITH_QUEUED } from './cancel-queued';
import { sealCredentials } from './seal-credentials';
import { changedFields, newSettings, resolveSettings } from './resolve-settings';
import { TargetDrafts, type TargetDraft } from './target-drafts';
import type { NewTarget, TargetRecord } from './target-record';
import { TargetRecords } from './target-records';
import { disabledColumns, pausedColumns } from './target-row';
import { endRouting } from './routing';
import { TargetEntity } from './target.entity';
import { TargetFollower } from './target-follower';
import { Transformer } from '../transforms/transformer';
import { assertUsable } from './check-transform';
import { runSteps } from '../ground/run-steps';

/** After this time a failed write is repeated. */
const RETRY_AFTER_MS = 1_000;

/**
 * The targets, all in memory, so that intake does not read them from disk. A change is on disk before it takes
 * effect, except in `disable`, and applies from the next group of events on.
 */
@Injectable()
export class TargetsService implements OnModuleInit, OnModuleDestroy {
  private readonly records: TargetRecords;
  private readonly queue = new SerialQueue();
  private readonly stopping = new AbortController();
  readonly drafts: TargetDrafts;

  constructor(
    private readonly settings: Settings,
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    random: Random,
    private readonly leadership: Leadership,
    private readonly follower: TargetFollower,
    private readonly transformer: Transformer,
    private readonly log: Log,
  ) {
    this.records = new TargetRecords(log);
    this.drafts = new TargetDrafts(sealer, random, clock);
  }

  /** Loads the targets; as the leader also completes interrupted removals, and creates the targets of the settings. */
  async onModuleInit(): Promise<void> {
    if (!this.leadership.leads) return this.loadFromLeader();
    this.journal.setPlanReloader(() => this.assertLeads());
    await sealCredentials(this.source, this.journal, this.sealer, this.log);
    await this.load();
    const incomplete = await this.source.query<{ number: number }[]>(REMOVED_WITH_QUEUED);
    for (const { number } of incomplete) await cancelQueued(this.journal, this.clock, number);
    await createConfiguredTargets(this.settings, {
      source: this.source,
      journal: this.journal,
      log: this.log,
      existing: () => this.all(),
      create: (target, alongside) => this.create(target, alongside),
    });
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** Only the leader changes targets. */
  private async loadFromLeader(): Promise<void> {
    const reload = () => this.queue.run(() => this.load());
    this.journal.setPlanReloader(reload);
    this.journal.onTableChanged('targets', () => {
      reload().catch((error: unknown) => this.log.warn({ err: error }, 'changed targets not read'));
    });
    await this.load();
  }

  /** What the leader has loaded is what is stored, unless another daemon has become the leader meanwhile. */
  private async assertLeads(): Promise<void> {
    if (!this.leadership.holdsLease()) throw new Error('another daemon may lead, and have changed targets');
  }

  private async load(): Promise<void> {
    const stored = await this.source
      .getRepository(TargetEntity)
      .find({ where: { deletedAt: IsNull() }, order: { number: 'ASC' } });
    // First what was committed before the targets changed: one with a higher rate must not send what was cancelled.
    if (!this.leadership.leads) await this.journal.catchUp();
    const { records, changes } = this.follower.apply(stored, this.all());
    this.records.load(records);
    if (!this.leadership.leads) for (const change of changes) this.records.changes.emit(...change);
  }

  /** Resolves once the changes that the leader has announced are loaded, or could not be loaded. */
  async settled(): Promise<void> {
    if (!this.leadership.leads) await this.queue.idle();
  }

  /** In order of creation. */
  all(): readonly TargetRecord[] {
    return this.records.all();
  }

  byNumber(number: number): TargetRecord | null {
    return this.records.byNumber(number);
  }

  /** @throws RelayError `target_unknown`, 404 */
  byId(id: string): TargetRecord {
    return this.records.byId(id);
  }

  /**
   * Creates a target, with a random secret if none is given. The secret is returned only here. It receives events
   * from now on; stored events reach it only through a replay.
   * @param alongside statements for the same transaction
   * @throws RelayError see `resolveSettings` and `AddressGuard`; `target_name_taken`, `too_many_targets`, 409
   */
  async create(
    { secret, force, ...wanted }: NewTarget,
    alongside: (targetId: string) => Statement[] = () => [],
  ): Promise<{ record: TargetRecord; secret: string }> {
    const settings = newSettings(wanted);
    const signingSecret = secret ?? this.drafts.newSecret();
    const draft = this.drafts.creation(settings, signingSecret);
    if (settings.url !== null) await this.guard.assertAllowed(settings.url);
    await assertUsable(settings.transform, { name: settings.name, force: force === true }, this.transformer);
    return this.exclusively(async () => {
      assertNameFree(this.all(), settings.name, null);
      assertBelowLimit(this.all().length);
      setAuditSubject(draft.created);
      const [record] = await this.save([draft], alongside(draft.created.id));
      return { record: record!, secret: signingSecret };
    });
  }

  /** Runs `work` while nothing else changes the settings of targets. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.queue.run(work);
  }

  /**
   * Stores changes in one transaction. What is queued for a removed target is to be cancelled afterwards.
   * @returns the targets as they are then, or were before their removal
   */
  async save(drafts: readonly TargetDraft[], alongside: Statement[] = []): Promise<TargetRecord[]> {
    const more = drafts.flatMap((draft) => draft.alongside ?? []);
    const statements = [...drafts.map(({ statement }) => statement), ...more, ...alongside];
    const { rows } = await this.journal.change({ statements });
    return drafts.map((draft, i) => {
      if ('created' in draft)
        return this.records.add({ ...draft.created, ...(rows[i]![0] as { number: number }) });
      if (draft.changes !== null) return this.records.replace(draft.id, draft.changes, 'target changed');
      return this.records.remove(draft.id);
    });
  }

  /**
   * Changes the given settings, one change at a time: policy, headers and TLS are completed with current values.
   * @returns also the new signing secret, if one was requested
   * @throws RelayError see `create`; `target_unknown`, 404
   */
  update(id: string, patch: TargetPatch): Promise<{ record: TargetRecord; secret: string | null }> {
    return this.exclusively(async () => {
      const before = this.byId(id);
      const settings = resolveSettings(patch, before);
      const changed = changedFields(before, settings);
      const secret = patch.new_secret === true ? this.drafts.newSecret() : null;
      const draft = this.drafts.change(before, settings, {
        secret: secret === null ? null : { text: secret, overlapUntil: null },
      });
      if (settings.name !== undefined) assertNameFree(this.all(), settings.name, id);
      if (typeof settings.url === 'string') await this.guard.assertAllowed(settings.url);
      const { name = before.name } = settings;
      const force = patch.force === true;
      if (changed.includes('transform'))
        await assertUsable(settings.transform, { name, force }, this.transformer);
      if (secret !== null) showsSecret();
      setAuditFields([...changed, ...(secret === null ? [] : ['new_secret']), ...(force ? ['force'] : [])]);
      setAuditSubject(before);
      const [record] = await this.save([draft]);
      return { record: record!, secret };
    });
  }

  /** Replaces the signing secret; the previous one also signs during the overlap. */
  rotateSecret(id: string, overlapSeconds: number): Promise<{ record: TargetRecord; secret: string }> {
    return this.exclusively(async () => {
      const before = this.byId(id);
      const secret = this.drafts.newSecret();
      const overlapUntil = overlapSeconds === 0 ? null : this.clock.now() + overlapSeconds * 1_000;
      setAuditSubject(before);
      const draft = this.drafts.change(before, {}, { secret: { text: secret, overlapUntil } });
      const [record] = await this.save([draft]);
      return { record: record!, secret };
    });
  }

  /** Deliveries to a paused target stay queued until it is resumed (null). */
  async setPaused(id: string, paused: TargetRecord['paused']): Promise<TargetRecord> {
    const updatedAt = this.clock.now();
    await this.write(id, { ...pausedColumns(paused), updated_at: updatedAt });
    return this.records.replace(
      id,
      { paused, updatedAt },
      paused === null ? 'target resumed' : 'target paused',
    );
  }

  /** Pauses a target for what was found out with its settings, unless they have changed since. */
  async pauseUnchanged(
    { id, updatedAt }: Pick<TargetRecord, 'id' | 'updatedAt'>,
    reason: string,
  ): Promise<void> {
    if (!this.leadership.leads) return this.follower.askToPause(id, updatedAt, reason);
    if (this.records.find(id)?.updatedAt === updatedAt)
      await this.setPaused(id, { at: this.clock.now(), reason, until: null });
  }

  /**
   * Disables a target after a 410 response. This takes effect before it is on disk, since nothing more may be sent to
   * the target. The write is repeated until it succeeds, or the target is enabled again or removed.
   */
  async disable(id: string, reason: string): Promise<void> {
    const at = this.clock.now();
    const changes = { enabled: false, disabled: { at, reason } };
    if (!this.leadership.leads)
      return this.follower.disable(this.records.replace(id, changes, 'target disabled'));
    const { disabled } = this.records.replace(id, { ...changes, updatedAt: at }, 'target disabled');
    const store = async () => {
      if (this.records.find(id)?.disabled === disabled)
        await this.write(id, { enabled: false, ...disabledColumns(disabled), updated_at: at });
      return false;
    };
    await runSteps(() => this.queue.run(store), {
      retryAfterMs: RETRY_AFTER_MS,
      signal: this.stopping.signal,
      onError: (error) => this.log.error({ err: error, target: id }, 'disabled target not stored yet'),
    });
  }

  /** Removes a target and cancels its queued deliveries; its history is kept. */
  async remove(id: string): Promise<void> {
    const record = this.byId(id);
    setAuditSubject(record);
    await this.save([this.drafts.removal(id)]);
    await this.cancelQueued(record);
  }

  /** Cancels what is queued for a removed target; if the daemon ends before, it is completed at the next start. */
  async cancelQueued(removed: TargetRecord): Promise<void> {
    await cancelQueued(this.journal, this.clock, removed.number);
    this.records.changes.emit(removed, removed);
  }

  /**
   * Calls `listener` after each change, and after a removal once more when all deliveries of the target are
   * cancelled. `before` is the same as `target` if it was created or removed.
   */
  onChange(listener: (target: TargetRecord, before: TargetRecord) => void): void {
    this.records.changes.subscribe(listener);
  }

  /** Plans the deliveries of a target with the events again, unless the router is behind. */
  endRouting({ id }: TargetRecord): Promise<void> {
    return this.exclusively(async () => {
      if (this.records.find(id)?.routing !== 'draining') return;
      const { rows } = await this.journal.change({ statements: endRouting(id) });
      if (rows[1]!.length > 0) this.records.replace(id, { routing: null }, 'target no longer routed');
    });
  }

  private write(id: string, columns: Record<string, unknown>) {
    setAuditSubject(this.byId(id));
    return this.journal.change({ statements: [update('targets', id, columns)] });
  }
}
