import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { TargetCreate, TargetPatch } from '../../contract/target';
import { Clock } from '../ground/clock';
import { runAsSystem, setAuditSubject, showsSecret } from '../ground/audit-context';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ground/ids';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { RelayError, StartupError } from '../ground/relay-error';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import { SerialQueue } from '../ground/serial-queue';
import { maskQuery } from './address-credentials';
import { AddressGuard } from './address-guard';
import { assertNameFree, assertBelowLimit } from './check-against-others';
import { cancelOpen, REMOVED_WITH_OPEN } from './cancel-open';
import { sealCredentials } from './seal-credentials';
import { resolveSettings } from './resolve-settings';
import { secretKey, secretText, type TargetRecord, type TargetSettings } from './target-record';
import { disabledColumns, matchersOf, recordOf, secretColumns, settingsColumns } from './target-row';
import { TargetEntity } from './target.entity';

const SECRET_BYTES = 32;

/** A target that only a name and an address are given for. */
const TAKING_EVERYTHING = { events: ['*'], filter: null, enabled: true, policy: {}, headers: [], tls: null };

/** After a write that the disk refused. */
const AGAIN_MS = 1_000;

/**
 * The targets, kept in memory: the path of an event asks for them without a read. Every change is on disk before it
 * shows here, but for `disable`, and the next group of events is planned with it.
 */
@Injectable()
export class TargetsService implements OnModuleInit, OnModuleDestroy {
  private records: readonly TargetRecord[] = [];
  private readonly listeners: ((target: TargetRecord) => void)[] = [];
  private readonly turns = new SerialQueue();
  private readonly stopping = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** Reads what is stored, goes on with what an earlier removal left open, and makes the targets of the settings. */
  async onModuleInit(): Promise<void> {
    await sealCredentials(this.source, this.journal, this.sealer, this.log);
    const stored = await this.source
      .getRepository(TargetEntity)
      .find({ where: { deletedAt: IsNull() }, order: { number: 'ASC' } });
    this.records = stored.map((entity) => recordOf(entity, this.sealer));
    const leftOpen = await this.source.query<{ number: number }[]>(REMOVED_WITH_OPEN);
    for (const { number } of leftOpen) await cancelOpen(this.journal, this.clock, number);
    for (const { name, url } of this.settings.targets) {
      if (!this.records.some((record) => record.name === name)) await this.createFromSettings(name, url);
    }
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** In the order in which they were made. */
  all(): readonly TargetRecord[] {
    return this.records;
  }

  byNumber(number: number): TargetRecord | null {
    return this.records.find((record) => record.number === number) ?? null;
  }

  /** @throws RelayError `target_unknown`, 404 */
  byId(id: string): TargetRecord {
    const record = this.records.find((candidate) => candidate.id === id);
    if (record !== undefined) return record;
    throw new RelayError('target_unknown', 404, `There is no target ${id}.`, {
      remedy: 'GET /api/v1/targets lists them.',
    });
  }

  /**
   * The secret is in the answer and is never shown again. The target gets what is planned from now on; what is stored
   * already could reach it by a replay only.
   * @param alongside what is stored with it, in the same transaction
   * @throws RelayError of its settings, 422; `target_name_taken`, `too_many_targets`, 409
   */
  async create(
    wanted: Omit<TargetCreate, 'backfill_since'>,
    alongside: (targetId: string) => Statement[] = () => [],
  ): Promise<{ record: TargetRecord; secret: string }> {
    const settings = resolveSettings(wanted, null) as TargetSettings;
    const definition = { ...settings, ...matchersOf(settings) };
    await this.guard.assertAllowed(wanted.url);
    return this.turns.run(() => this.store(definition, alongside));
  }

  private async store(
    definition: TargetSettings & ReturnType<typeof matchersOf>,
    alongside: (targetId: string) => Statement[],
  ): Promise<{ record: TargetRecord; secret: string }> {
    assertNameFree(this.records, definition.name, null);
    assertBelowLimit(this.records);
    const now = this.clock.now();
    const id = newId('tgt', now, this.random);
    const secret = secretText(this.random.bytes(SECRET_BYTES));
    const columns = {
      id,
      ...settingsColumns(definition, this.sealer),
      ...secretColumns(secret, null, this.sealer),
      created_at: now,
      updated_at: now,
    };
    const names = Object.keys(columns);
    setAuditSubject({ id, name: definition.name });
    const { rows } = await this.journal.change([
      [
        `INSERT INTO targets(${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) RETURNING number`,
        Object.values(columns),
      ],
      ...alongside(id),
    ]);
    const { number } = rows[0]![0] as { number: number };
    const record: TargetRecord = {
      ...definition,
      number,
      id,
      paused: null,
      disabled: null,
      signingKey: secretKey(secret),
      signingKeyBefore: null,
      createdAt: now,
      updatedAt: now,
    };
    this.records = [...this.records, record];
    this.changed(record, 'target created');
    return { record, secret };
  }

  /**
   * Changes what is named. One change after the other: policy, headers and TLS are completed by what they were.
   * @returns with the new signing secret, where one was wanted
   * @throws RelayError as `create` does; `target_unknown`, 404
   */
  update(id: string, patch: TargetPatch): Promise<{ record: TargetRecord; secret: string | null }> {
    return this.turns.run(async () => {
      const before = this.byId(id);
      const settings = resolveSettings(patch, before);
      const matchers = matchersOf({ events: before.events, filter: before.filter, ...settings });
      if (settings.name !== undefined) assertNameFree(this.records, settings.name, id);
      if (settings.url !== undefined) await this.guard.assertAllowed(settings.url);
      const updatedAt = this.clock.now();
      const secret = patch.new_secret === true ? secretText(this.random.bytes(SECRET_BYTES)) : null;
      if (secret !== null) showsSecret();
      await this.set(id, {
        ...settingsColumns(settings, this.sealer),
        ...(secret !== null && secretColumns(secret, null, this.sealer)),
        updated_at: updatedAt,
      });
      const enabling = settings.enabled === true && { disabled: null };
      const keys = secret !== null && { signingKey: secretKey(secret), signingKeyBefore: null };
      const changes = { ...settings, ...matchers, ...enabling, ...keys, updatedAt };
      return { record: this.replace(id, changes, 'target changed'), secret };
    });
  }

  /** A new secret signs from now on; the one before signs too while the rotation overlaps. */
  rotateSecret(id: string, overlapSeconds: number): Promise<{ record: TargetRecord; secret: string }> {
    return this.turns.run(async () => {
      const { signingKey } = this.byId(id);
      const now = this.clock.now();
      const secret = secretText(this.random.bytes(SECRET_BYTES));
      const until = now + overlapSeconds * 1_000;
      const before = overlapSeconds === 0 ? null : { secret: secretText(signingKey), until };
      await this.set(id, { ...secretColumns(secret, before, this.sealer), updated_at: now });
      const keys = {
        signingKey: secretKey(secret),
        signingKeyBefore: before === null ? null : { key: signingKey, until },
      };
      return { record: this.replace(id, { ...keys, updatedAt: now }, 'target secret rotated'), secret };
    });
  }

  /** Deliveries go on gathering until it is resumed. Pausing a paused target keeps the first reason. */
  async pause(id: string, reason: string): Promise<TargetRecord> {
    const before = this.byId(id);
    if (before.paused !== null) return before;
    const at = this.clock.now();
    await this.set(id, { paused_at: at, paused_reason: reason, updated_at: at });
    return this.replace(id, { paused: { at, reason }, updatedAt: at }, 'target paused');
  }

  async resume(id: string): Promise<TargetRecord> {
    this.byId(id);
    const at = this.clock.now();
    await this.set(id, { paused_at: null, paused_reason: null, updated_at: at });
    return this.replace(id, { paused: null, updatedAt: at }, 'target resumed');
  }

  /**
   * Disables a target that wants no more: at once, since nothing more is to be planned for it or sent to it, though the disk
   * may fail. It is written until it is on disk, or no longer so: enabled again, or removed.
   */
  async disable(id: string, reason: string): Promise<void> {
    const at = this.clock.now();
    const { disabled } = this.replace(
      id,
      { enabled: false, disabled: { at, reason }, updatedAt: at },
      'target disabled',
    );
    const store = async () => {
      if (this.records.find((record) => record.id === id)?.disabled !== disabled) return;
      await this.set(id, { enabled: false, ...disabledColumns(disabled), updated_at: at });
    };
    for (let stored = false; !stored && !this.stopping.signal.aborted;) {
      try {
        await this.turns.run(store);
        stored = true;
      } catch (error) {
        this.log.error({ err: error, target: id }, 'target disabled, and not on disk yet');
        await pause(AGAIN_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** Its history stays; what was still open is cancelled. */
  async remove(id: string): Promise<void> {
    const record = this.byId(id);
    await this.set(id, { deleted_at: this.clock.now() });
    this.records = this.records.filter((candidate) => candidate.id !== id);
    this.changed(record, 'target removed');
    await cancelOpen(this.journal, this.clock, record.number);
    for (const listener of this.listeners) listener(record);
  }

  /** Told after the change is on disk; of a removal once more when nothing is open there any longer. */
  onChange(listener: (target: TargetRecord) => void): void {
    this.listeners.push(listener);
  }

  private async createFromSettings(name: string, url: string): Promise<void> {
    try {
      await runAsSystem({ action: 'target.create' }, () => this.create({ ...TAKING_EVERYTHING, name, url }));
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      const { message: what, remedy = 'Change it.' } = error;
      throw new StartupError([{ where: 'SWITCHBOARD_TARGETS', what, remedy }]);
    }
  }

  private set(id: string, columns: Record<string, unknown>) {
    setAuditSubject(this.byId(id));
    const assignments = Object.keys(columns).map((name) => `${name} = ?`);
    return this.journal.change([
      [`UPDATE targets SET ${assignments.join(', ')} WHERE id = ?`, [...Object.values(columns), id]],
    ]);
  }

  private replace(id: string, changes: Partial<TargetRecord>, action: string): TargetRecord {
    const record = { ...this.byId(id), ...changes };
    this.records = this.records.map((candidate) => (candidate.id === id ? record : candidate));
    this.changed(record, action);
    return record;
  }

  private changed(record: TargetRecord, action: string): void {
    const { id, name, url, events, enabled, paused, disabled } = record;
    const shown = { target: id, name, url: maskQuery(url), events, enabled, paused, disabled };
    this.log.info(shown, action);
    for (const listener of this.listeners) listener(record);
  }
}
