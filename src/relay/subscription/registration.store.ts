import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Clock } from '../ground/clock';
import { Leadership } from '../ground/leadership';
import { SharedRun } from '../ground/shared-run';
import { Journal } from '../database/journal/journal';
import { inJsonList } from '../database/reading/dialect';
import { insert, update, type Statement } from '../database/journal/statements';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import {
  isCurrent,
  CURRENT_STATES,
  REGISTRATION_STATES,
  type Registration,
  type RegistrationChange,
  type RegistrationState,
} from './registration';
import { isWebhookId } from './webhook-id';
import { Signal } from '../ground/signal';

const SECRETS_PURPOSE = 'subscriptions.secrets';
const KEY_BYTES = 32;
const SECRET_BYTES = 48;

type Flag = 'paused' | 'lastKnownActive' | 'idConfirmed' | 'urlSeen' | 'deleteFirst';
/** `secrets` are sealed, `events` JSON. */
type Row = Omit<Registration, 'key' | 'secret' | 'events' | Flag> &
  Record<'secrets' | 'events', string> &
  Record<Flag, number | null>;

const SELECT = `SELECT id, secrets, public_url AS "publicUrl", events, state, problem, remedy, paused,
  last_known_active AS "lastKnownActive", url_seen AS "urlSeen", delete_first AS "deleteFirst", webhook_id AS "webhookId",
  id_confirmed AS "idConfirmed", signature_header AS "signatureHeader", previous_signature_header AS "previousSignatureHeader",
  created_at AS "createdAt", registered_at AS "registeredAt", checked_at AS "checkedAt", closed_at AS "closedAt"
  FROM subscriptions WHERE base_url = ? ORDER BY id`;

const sealedSecrets = z.object({ key: z.string(), secret: z.string() });
const registrationState = z.enum(REGISTRATION_STATES);
const eventTypes = z.array(z.string());
const insertedRow = z.object({ id: z.number() });

/** Our registrations at the configured Co-Pilot: all in memory, updated only after the change is stored. */
@Injectable()
export class RegistrationStore implements OnModuleInit {
  private readonly byId = new Map<number, Registration>();
  private readonly changes = new Signal();
  private readonly rotations = new Signal();
  private readonly reloads = new SharedRun(() => this.load());

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly leadership: Leadership,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    this.journal.onTableChanged('subscriptions', () => {
      if (this.leadership.leads) return;
      this.reload().catch((error: unknown) =>
        this.log.warn({ err: error }, 'changed registrations not read'),
      );
    });
    await this.load();
  }

  /** Reads what another daemon may have stored before this call. */
  async reload(): Promise<void> {
    await this.reloads.idle();
    await this.reloads.run();
  }

  private async load(): Promise<void> {
    const rows = await this.source.query<Row[]>(SELECT, [this.settings.copilot.baseUrl]);
    // What is in memory is newer than what a leader reads: a change of its own may be stored meanwhile.
    for (const row of rows)
      if (!this.leadership.leads || !this.byId.has(row.id)) this.byId.set(row.id, this.fromRow(row));
    if (!this.leadership.leads)
      for (const id of this.byId.keys()) if (!rows.some((row) => row.id === id)) this.byId.delete(id);
    this.changes.emit();
  }

  all(): Registration[] {
    return [...this.byId.values()];
  }

  get(id: number): Registration | null {
    return this.byId.get(id) ?? null;
  }

  /** The newest registration that is active, being registered, or rejected; null if there is none. */
  current(): Registration | null {
    return this.all().findLast(isCurrent) ?? null;
  }

  /** The one that a rotation is registering to replace the current one. */
  rotating(): Registration | null {
    return this.all().findLast(({ state }) => state === 'rotating') ?? null;
  }

  /** The registrations whose webhooks are still to be deleted at Co-Pilot. */
  replaced(): Registration[] {
    return this.all().filter(({ state }) => state === 'replaced');
  }

  /** Calls `listener` after each change, once it is stored. */
  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  /** Calls `listener` once a rotation has replaced the current registration. */
  onRotated(listener: () => void): void {
    this.rotations.subscribe(listener);
  }

  /** Creates the current registration and marks its predecessors as replaced. @throws RelayError `storage_failed` */
  create(publicUrl: string, { deleteFirst = false } = {}): Promise<Registration> {
    return this.insert({ publicUrl, state: 'registering', deleteFirst }, ['rotating', ...CURRENT_STATES]);
  }

  /** Creates one that replaces the current one once it is registered. @throws RelayError `storage_failed` */
  createRotating(publicUrl: string): Promise<Registration> {
    return this.insert({ publicUrl, state: 'rotating', deleteFirst: false }, []);
  }

  /**
   * Marks a registration as active, and the current one as replaced by it.
   * @throws RelayError `storage_failed`
   */
  async makeCurrent(id: number, change: RegistrationChange): Promise<void> {
    const before = this.byId.get(id);
    const activeChange = { ...change, state: 'active' as const };
    await this.journal.change({
      statements: [this.replaceStatement(CURRENT_STATES), this.updateStatement(id, activeChange)],
    });
    this.replaceInMemory(CURRENT_STATES);
    this.updateInMemory(id, activeChange);
    this.changes.emit();
    if (before?.state !== 'rotating' && !before?.deleteFirst) return;
    this.rotations.emit();
  }

  /**
   * Updates only the given fields, so that what notifications have revealed meanwhile is not lost.
   * @throws RelayError `storage_failed`
   */
  async update(id: number, change: RegistrationChange): Promise<void> {
    await this.journal.change({ statements: [this.updateStatement(id, change)] });
    this.updateInMemory(id, change);
    this.changes.emit();
  }

  /** @throws RelayError `storage_failed` */
  async delete(id: number): Promise<void> {
    await this.journal.change({ statements: [['DELETE FROM subscriptions WHERE id = ?', [id]]] });
    this.byId.delete(id);
    this.changes.emit();
  }

  /** Inserts a registration with a new key and secret. Once this resolves, its key is accepted. */
  private async insert(
    initial: Pick<Registration, 'publicUrl' | 'state' | 'deleteFirst'>,
    replacedStates: readonly RegistrationState[],
  ): Promise<Registration> {
    const current = this.current();
    const { baseUrl, events } = this.settings.copilot;
    const created: Omit<Registration, 'id'> = {
      ...initial,
      key: this.random.bytes(KEY_BYTES).toString('base64url'),
      secret: this.random.bytes(SECRET_BYTES).toString('base64url'),
      events,
      problem: null,
      remedy: null,
      paused: current?.paused ?? false,
      lastKnownActive: null,
      webhookId: null,
      idConfirmed: false,
      urlSeen: false,
      signatureHeader: current?.signatureHeader ?? null,
      previousSignatureHeader: current?.previousSignatureHeader ?? null,
      createdAt: this.clock.now(),
      registeredAt: null,
      checkedAt: null,
      closedAt: null,
    };
    const { key, secret, ...columns } = created;
    const [insertSql, parameters] = insert('subscriptions', {
      ...columnsOf(columns),
      base_url: baseUrl,
      secrets: this.sealer.seal(JSON.stringify({ key, secret }), SECRETS_PURPOSE),
    });
    const { rows } = await this.journal.change({
      statements: [this.replaceStatement(replacedStates), [`${insertSql} RETURNING id`, parameters]],
    });
    const { id } = insertedRow.parse(rows[1]?.[0]);
    this.replaceInMemory(replacedStates);
    const registration = { id, ...created };
    this.byId.set(id, registration);
    this.changes.emit();
    return registration;
  }

  private replaceStatement(states: readonly RegistrationState[]): Statement {
    return [
      `UPDATE subscriptions SET state = 'replaced' WHERE base_url = ? AND state ${inJsonList('?', 'texts')}`,
      [this.settings.copilot.baseUrl, JSON.stringify(states)],
    ];
  }

  private updateStatement(id: number, change: RegistrationChange): Statement {
    return update('subscriptions', id, columnsOf(change));
  }

  private updateInMemory(id: number, change: RegistrationChange): void {
    const current = this.byId.get(id);
    if (current !== undefined) this.byId.set(id, { ...current, ...change });
  }

  private replaceInMemory(states: readonly RegistrationState[]): void {
    for (const one of this.all().filter(({ state }) => states.includes(state)))
      this.byId.set(one.id, { ...one, state: 'replaced' });
  }

  private fromRow({ secrets, ...row }: Row): Registration {
    return {
      ...row,
      ...sealedSecrets.parse(JSON.parse(this.sealer.open(secrets, SECRETS_PURPOSE))),
      webhookId: isWebhookId(row.webhookId) ? row.webhookId : null,
      events: eventTypes.parse(JSON.parse(row.events)),
      state: registrationState.parse(row.state),
      paused: row.paused === 1,
      lastKnownActive: row.lastKnownActive === null ? null : row.lastKnownActive === 1,
      idConfirmed: row.idConfirmed === 1,
      urlSeen: row.urlSeen === 1,
      deleteFirst: row.deleteFirst === 1,
    };
  }
}

/** The names of columns are those of fields, in snake case; lists are stored as JSON. */
const columnsOf = (fields: RegistrationChange & Partial<Registration>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      Array.isArray(value) ? JSON.stringify(value) : value,
    ]),
  );
