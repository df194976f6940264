import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { z } from 'zod';
import { Clock } from '../ground/clock';
import { Journal, type Statement } from '../database/journal';
import { Random } from '../ground/random';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import {
  isPresent,
  PRESENT,
  REGISTRATION_STATES,
  type Registration,
  type RegistrationChange,
  type RegistrationState,
} from './registration';
import { SubscriptionEntity } from './subscription.entity';
import { isWebhookId } from './webhook-id';

const SECRETS_PURPOSE = 'subscriptions.secrets';
const KEY_BYTES = 32;
const SECRET_BYTES = 48;

const sealedSecrets = z.object({ key: z.string(), secret: z.string() });
const registrationState = z.enum(REGISTRATION_STATES);
const eventTypes = z.array(z.string());
const insertedRow = z.object({ id: z.number() });

/** Our registrations at the present Co-Pilot: all in memory, changed only after the change is on disk. */
@Injectable()
export class Registrations implements OnModuleInit {
  private readonly byId = new Map<number, Registration>();
  private readonly listeners: (() => void)[] = [];
  private readonly rotatedListeners: (() => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source
      .getRepository(SubscriptionEntity)
      .find({ where: { baseUrl: this.settings.copilot.baseUrl }, order: { id: 'ASC' } });
    for (const row of rows) this.byId.set(row.id, this.fromRow(row));
    this.tellChange();
  }

  all(): Registration[] {
    return [...this.byId.values()];
  }

  get(id: number): Registration | null {
    return this.byId.get(id) ?? null;
  }

  /** The present registration. */
  current(): Registration | null {
    return this.all().findLast(isPresent) ?? null;
  }

  /** The one that a rotation is bringing in the present one's place. */
  rotating(): Registration | null {
    return this.all().findLast(({ state }) => state === 'rotating') ?? null;
  }

  /** Those that are still to be taken down at Co-Pilot. */
  replaced(): Registration[] {
    return this.all().filter(({ state }) => state === 'replaced');
  }

  /** Told after each change, once it is on disk. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Told once a new one has taken the place of the one before because the operator wanted it. */
  onRotated(listener: () => void): void {
    this.rotatedListeners.push(listener);
  }

  /** Makes a present one, those before it marked as replaced. @throws RelayError `storage_failed` */
  begin(publicUrl: string, { deleteFirst = false } = {}): Promise<Registration> {
    return this.make({ publicUrl, state: 'registering', deleteFirst }, ['rotating', ...PRESENT]);
  }

  /** Makes one that is to take the present one's place once Co-Pilot has it. @throws RelayError `storage_failed` */
  beginRotation(publicUrl: string): Promise<Registration> {
    return this.make({ publicUrl, state: 'rotating', deleteFirst: false }, []);
  }

  /** It stands at Co-Pilot, and is the present one from now on. @throws RelayError `storage_failed` */
  async promote(id: number, change: RegistrationChange): Promise<void> {
    const before = this.byId.get(id);
    const promoted = { ...change, state: 'active' as const };
    await this.journal.change([this.replace(PRESENT), this.update(id, promoted)]);
    this.replaceInMemory(PRESENT);
    this.changeInMemory(id, promoted);
    this.tellChange();
    if (before?.state !== 'rotating' && !before?.deleteFirst) return;
    for (const listener of this.rotatedListeners) listener();
  }

  /** Changes only what is named, so that what is learned meanwhile from a notification stays. @throws RelayError */
  async change(id: number, change: RegistrationChange): Promise<void> {
    await this.journal.change([this.update(id, change)]);
    this.changeInMemory(id, change);
    this.tellChange();
  }

  /** @throws RelayError `storage_failed` */
  async forget(id: number): Promise<void> {
    const statement = this.source
      .createQueryBuilder()
      .delete()
      .from(SubscriptionEntity)
      .where({ id })
      .getQueryAndParameters();
    await this.journal.change([statement]);
    this.byId.delete(id);
    this.tellChange();
  }

  /** With key and secret of its own. It is on disk, and its key is good, before this resolves. */
  private async make(
    given: Pick<Registration, 'publicUrl' | 'state' | 'deleteFirst'>,
    replaces: readonly RegistrationState[],
  ): Promise<Registration> {
    const before = this.current();
    const { baseUrl, events } = this.settings.copilot;
    const made: Omit<Registration, 'id'> = {
      ...given,
      key: this.random.bytes(KEY_BYTES).toString('base64url'),
      secret: this.random.bytes(SECRET_BYTES).toString('base64url'),
      events,
      problem: null,
      remedy: null,
      paused: before?.paused ?? false,
      heldActive: null,
      webhookId: null,
      idConfirmed: false,
      addressSeen: false,
      signatureHeader: before?.signatureHeader ?? null,
      signatureHeaderBefore: before?.signatureHeaderBefore ?? null,
      createdAt: this.clock.now(),
      registeredAt: null,
      checkedAt: null,
      closedAt: null,
    };
    const { key, secret, ...columns } = made;
    const [insert, parameters] = this.source
      .createQueryBuilder()
      .insert()
      .into(SubscriptionEntity)
      .values({
        ...columns,
        baseUrl,
        events: JSON.stringify(events),
        secrets: this.sealer.seal(JSON.stringify({ key, secret }), SECRETS_PURPOSE),
      })
      .getQueryAndParameters();
    const { rows } = await this.journal.change([
      this.replace(replaces),
      [`${insert} RETURNING id`, parameters],
    ]);
    const { id } = insertedRow.parse(rows[1]?.[0]);
    this.replaceInMemory(replaces);
    const registration = { id, ...made };
    this.byId.set(id, registration);
    this.tellChange();
    return registration;
  }

  private replace(states: readonly RegistrationState[]): Statement {
    const { baseUrl } = this.settings.copilot;
    return this.source
      .createQueryBuilder()
      .update(SubscriptionEntity)
      .set({ state: 'replaced' })
      .where({ baseUrl, state: In([...states]) })
      .getQueryAndParameters();
  }

  private update(id: number, { events, ...rest }: RegistrationChange): Statement {
    const columns = events === undefined ? rest : { ...rest, events: JSON.stringify(events) };
    return this.source
      .createQueryBuilder()
      .update(SubscriptionEntity)
      .set(columns)
      .where({ id })
      .getQueryAndParameters();
  }

  private changeInMemory(id: number, change: RegistrationChange): void {
    const now = this.byId.get(id);
    if (now !== undefined) this.byId.set(id, { ...now, ...change });
  }

  private replaceInMemory(states: readonly RegistrationState[]): void {
    for (const one of this.all().filter(({ state }) => states.includes(state)))
      this.byId.set(one.id, { ...one, state: 'replaced' });
  }

  private tellChange(): void {
    for (const listener of this.listeners) listener();
  }

  private fromRow(row: SubscriptionEntity): Registration {
    const { secrets, baseUrl: _, ...rest } = row;
    return {
      ...rest,
      ...sealedSecrets.parse(JSON.parse(this.sealer.open(secrets, SECRETS_PURPOSE))),
      webhookId: isWebhookId(row.webhookId) ? row.webhookId : null,
      events: eventTypes.parse(JSON.parse(row.events)),
      state: registrationState.parse(row.state),
    };
  }
}
