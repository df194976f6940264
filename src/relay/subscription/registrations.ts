import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Clock } from '../clock';
import { Journal } from '../database/journal';
import { Random } from '../random';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import { isPresent, REGISTRATION_STATES, type Registration, type RegistrationChange } from './registration';
import { SubscriptionEntity } from './subscription.entity';

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

  /** Told after each change, once it is on disk. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Makes a new one with key and secret of its own, and marks those before it as replaced. It is on disk, and its key is
   * good, before this resolves.
   * @throws RelayError `storage_failed`
   */
  async begin(publicUrl: string): Promise<Registration> {
    const before = this.current();
    const { baseUrl, events } = this.settings.copilot;
    const made: Omit<Registration, 'id'> = {
      key: this.random.bytes(KEY_BYTES).toString('base64url'),
      secret: this.random.bytes(SECRET_BYTES).toString('base64url'),
      publicUrl,
      events,
      state: 'registering',
      problem: null,
      webhookId: null,
      signatureHeader: before?.signatureHeader ?? null,
      signatureHeaderBefore: before?.signatureHeaderBefore ?? null,
      createdAt: this.clock.now(),
      registeredAt: null,
      checkedAt: null,
      closedAt: null,
    };
    const { key, secret, ...columns } = made;
    const replace = this.source
      .createQueryBuilder()
      .update(SubscriptionEntity)
      .set({ state: 'replaced' })
      .where(`base_url = :baseUrl AND state IN ('registering', 'active', 'failed')`, { baseUrl })
      .getQueryAndParameters();
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
    const { rows } = await this.journal.change([replace, [`${insert} RETURNING id`, parameters]]);
    const { id } = insertedRow.parse(rows[1]?.[0]);
    for (const one of this.all().filter(isPresent)) this.byId.set(one.id, { ...one, state: 'replaced' });
    const registration = { id, ...made };
    this.byId.set(id, registration);
    this.tellChange();
    return registration;
  }

  /** Changes only what is named, so that what is learned meanwhile from a notification stays. @throws RelayError */
  async change(id: number, change: RegistrationChange): Promise<void> {
    const { events, ...rest } = change;
    const columns = events === undefined ? rest : { ...rest, events: JSON.stringify(events) };
    const statement = this.source
      .createQueryBuilder()
      .update(SubscriptionEntity)
      .set(columns)
      .where({ id })
      .getQueryAndParameters();
    await this.journal.change([statement]);
    const now = this.byId.get(id);
    if (now !== undefined) this.byId.set(id, { ...now, ...change });
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

  private tellChange(): void {
    for (const listener of this.listeners) listener();
  }

  private fromRow(row: SubscriptionEntity): Registration {
    const { secrets, baseUrl: _, ...rest } = row;
    return {
      ...rest,
      ...sealedSecrets.parse(JSON.parse(this.sealer.open(secrets, SECRETS_PURPOSE))),
      events: eventTypes.parse(JSON.parse(row.events)),
      state: registrationState.parse(row.state),
    };
  }
}
