import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TargetCreate, TargetPatch } from '../../contract/target';
import { DEFAULT_POLICY } from '../../contract/target-policy';
import { Clock } from '../clock';
import { Journal, type Statement } from '../database/journal';
import { newId } from '../ids';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { RelayError, StartRefused } from '../relay-error';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import { AddressGuard } from './address-guard';
import { eventMatcher } from './match-event';
import { secretKey, secretText, type TargetRecord } from './target-record';
import { TargetEntity } from './target.entity';

const SECRET_PURPOSE = 'targets.secret';
const SECRET_BYTES = 32;

/** What of a target can be changed, each under its name in the table. */
const COLUMNS = ['name', 'url', 'events', 'enabled'] as const satisfies (keyof TargetPatch)[];

/** One step of cancelling what a removed target still had open: short, since notifications wait for no cleaning up. */
const CANCEL_STEP = 500;

/**
 * The targets, kept in memory: the path of an event asks for them without a read. Every change is on disk before it
 * shows here, and the next group of events is planned with it.
 */
@Injectable()
export class TargetsService implements OnModuleInit {
  private records: readonly TargetRecord[] = [];
  private readonly listeners: ((target: TargetRecord) => void)[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Reads what is stored, goes on with what an earlier removal left open, and makes the targets of the settings. */
  async onModuleInit(): Promise<void> {
    const stored = await this.source.getRepository(TargetEntity).find({ order: { number: 'ASC' } });
    this.records = stored
      .filter(({ deletedAt }) => deletedAt === null)
      .map((entity) => this.toRecord(entity));
    for (const { number } of stored.filter(({ deletedAt }) => deletedAt !== null))
      await this.cancelOpen(number);
    for (const { name, url } of this.settings.targets) {
      if (!this.records.some((record) => record.name === name)) await this.makeOfSettings(name, url);
    }
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

  /** The secret is in the answer and is never shown again. */
  async create(wanted: TargetCreate): Promise<{ record: TargetRecord; secret: string }> {
    this.assertFree(wanted.name, null);
    await this.guard.assertAllowed(wanted.url);
    const now = this.clock.now();
    const id = newId('tgt', now, this.random);
    const secret = secretText(this.random.bytes(SECRET_BYTES));
    const sealed = this.sealer.seal(secret, SECRET_PURPOSE);
    const { rows } = await this.change([
      `INSERT INTO targets(id, name, url, events, enabled, secret, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
      [id, wanted.name, wanted.url, JSON.stringify(wanted.events), wanted.enabled, sealed, now, now],
    ]);
    const { number } = rows[0]![0] as { number: number };
    const record: TargetRecord = {
      ...wanted,
      number,
      id,
      accepts: eventMatcher(wanted.events),
      policy: DEFAULT_POLICY,
      headers: [],
      tls: null,
      signingKeyBefore: null,
      paused: null,
      signingKey: secretKey(secret),
      createdAt: now,
      updatedAt: now,
    };
    this.records = [...this.records, record];
    this.changed(record, 'target created');
    return { record, secret };
  }

  async update(id: string, patch: TargetPatch): Promise<TargetRecord> {
    this.byId(id);
    if (patch.name !== undefined) this.assertFree(patch.name, id);
    if (patch.url !== undefined) await this.guard.assertAllowed(patch.url);
    const updatedAt = this.clock.now();
    // Only what is named: a change that is under way at the same time keeps its own.
    const columns = COLUMNS.filter((column) => patch[column] !== undefined);
    await this.change([
      `UPDATE targets SET ${[...columns, 'updated_at'].map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
      [
        ...columns.map((column) => (column === 'events' ? JSON.stringify(patch.events) : patch[column])),
        updatedAt,
        id,
      ],
    ]);
    const changes = Object.fromEntries(columns.map((column) => [column, patch[column]]));
    const accepts = patch.events === undefined ? {} : { accepts: eventMatcher(patch.events) };
    return this.replace(id, { ...changes, ...accepts, updatedAt }, 'target changed');
  }

  /** Deliveries go on gathering until it is resumed. Pausing a paused target keeps the first reason. */
  async pause(id: string, reason: string): Promise<TargetRecord> {
    const before = this.byId(id);
    if (before.paused !== null) return before;
    const at = this.clock.now();
    await this.change([
      'UPDATE targets SET paused_at = ?, paused_reason = ?, updated_at = ? WHERE id = ?',
      [at, reason, at, id],
    ]);
    return this.replace(id, { paused: { at, reason }, updatedAt: at }, 'target paused');
  }

  async resume(id: string): Promise<TargetRecord> {
    this.byId(id);
    const at = this.clock.now();
    await this.change([
      'UPDATE targets SET paused_at = NULL, paused_reason = NULL, updated_at = ? WHERE id = ?',
      [at, id],
    ]);
    return this.replace(id, { paused: null, updatedAt: at }, 'target resumed');
  }

  /** Its history stays; what was still open is cancelled. */
  async remove(id: string): Promise<void> {
    const record = this.byId(id);
    await this.change(['UPDATE targets SET deleted_at = ? WHERE id = ?', [this.clock.now(), id]]);
    this.records = this.records.filter((candidate) => candidate.id !== id);
    this.changed(record, 'target removed');
    await this.cancelOpen(record.number);
  }

  /** Told after the change is on disk. */
  onChange(listener: (target: TargetRecord) => void): void {
    this.listeners.push(listener);
  }

  private async makeOfSettings(name: string, url: string): Promise<void> {
    try {
      await this.create({ name, url, events: ['*'], enabled: true });
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      const { message: what, remedy = 'Change it.' } = error;
      throw new StartRefused([{ where: 'SWITCHBOARD_TARGETS', what, remedy }]);
    }
  }

  private async cancelOpen(number: number): Promise<void> {
    for (let cancelled = CANCEL_STEP; cancelled === CANCEL_STEP;) {
      const { rows } = await this.change([
        `UPDATE deliveries SET state = 'cancelled', due_at = NULL, settled_at = ? WHERE (event_seq, target_id, n) IN (
           SELECT event_seq, target_id, n FROM deliveries WHERE target_id = ? AND due_at IS NOT NULL LIMIT ?) RETURNING n`,
        [this.clock.now(), number, CANCEL_STEP],
      ]);
      cancelled = rows[0]!.length;
    }
  }

  private change(statement: Statement) {
    return this.journal.change([statement]);
  }

  private replace(id: string, changes: Partial<TargetRecord>, act: string): TargetRecord {
    const record = { ...this.byId(id), ...changes };
    this.records = this.records.map((candidate) => (candidate.id === id ? record : candidate));
    this.changed(record, act);
    return record;
  }

  private changed(record: TargetRecord, act: string): void {
    const { id, name, url, events, enabled, paused } = record;
    this.log.info({ target: id, name, url: withoutCredentials(url), events, enabled, paused }, act);
    for (const listener of this.listeners) listener(record);
  }

  private assertFree(name: string, id: string | null): void {
    const taken = this.records.find((record) => record.name === name && record.id !== id);
    if (taken === undefined) return;
    throw new RelayError('target_name_taken', 409, `${taken.id} is named "${name}" already.`, {
      remedy: 'Choose another name.',
    });
  }

  private toRecord(entity: TargetEntity): TargetRecord {
    const { number, id, name, url, events, enabled, createdAt, updatedAt } = entity;
    const paused =
      entity.pausedAt === null ? null : { at: entity.pausedAt, reason: entity.pausedReason ?? '' };
    const signingKey = secretKey(this.sealer.open(entity.secret, SECRET_PURPOSE));
    return {
      number,
      id,
      name,
      url,
      events,
      enabled,
      paused,
      signingKey,
      createdAt,
      updatedAt,
      accepts: eventMatcher(events),
      policy: DEFAULT_POLICY,
      headers: [],
      tls: null,
      signingKeyBefore: null,
    };
  }
}

/** An address for the log: neither user name nor password, nor what a query may carry. */
function withoutCredentials(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
