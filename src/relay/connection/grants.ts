import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Journal, type Statement } from '../database/journal';
import { Sealer } from '../secrets/sealer';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { GRANT_STATES, renewalDueAt, type Grant } from './grant';
import { assertGrantMatchesSettings } from './assert-grant-matches-settings';
import { GrantEntity } from './grant.entity';

const TOKENS_PURPOSE = 'grants.tokens';
const GRANT_COLUMNS = [
  'base_url',
  'client_id',
  'scopes',
  'tokens',
  'state',
  'problem',
  'connected_at',
  'issued_at',
  'expires_at',
  'renewal_started_at',
  'failures',
  'retry_at',
];

const grantState = z.enum(GRANT_STATES);
const sealedTokens = z.object({ accessToken: z.string(), refreshToken: z.string().nullable() });

/** The single grant: held in memory, stored encrypted. */
@Injectable()
export class Grants implements OnModuleInit {
  private grant: Grant | null = null;
  private renewing = false;
  private saved = true;
  private newlyConnected = false;
  private readonly changeListeners: (() => void)[] = [];
  private readonly connectedListeners: (() => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** @throws StartupError see {@link assertGrantMatchesSettings} */
  async onModuleInit(): Promise<void> {
    await assertGrantMatchesSettings(this.source, this.settings.copilot);
    const row = await this.source.getRepository(GrantEntity).findOneBy({ id: 1 });
    this.grant = row === null ? null : await this.markUnused(this.fromRow(row));
  }

  get current(): Grant | null {
    return this.grant;
  }

  /** Whether a renewal is in progress. */
  get isRenewing(): boolean {
    return this.renewing;
  }

  /** Called after each change, once it is stored. */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  /** Called when an authorization has produced a grant, once it is stored. */
  onConnected(listener: () => void): void {
    this.connectedListeners.push(listener);
  }

  /** Replaces the grant by one from a new consent. @throws RelayError `storage_failed` */
  async connect(grant: Grant): Promise<void> {
    this.newlyConnected = true;
    await this.save(grant);
  }

  /**
   * Uses a grant at once and stores it. If the disk fails it stays in memory, since Co-Pilot may already
   * have invalidated the previous one; `retrySave` stores it later.
   * @throws RelayError `storage_failed`
   */
  async save(grant: Grant): Promise<void> {
    this.grant = grant;
    this.renewing = false;
    this.saved = false;
    await this.journal.change([this.upsert(grant)]);
    if (this.grant === grant) this.saved = true;
    this.tellChange();
    if (!this.newlyConnected) return;
    this.newlyConnected = false;
    for (const listener of this.connectedListeners) listener();
  }

  /**
   * Deletes grant and tokens at once; a renewal in progress does not restore them. If the disk fails,
   * `retrySave` deletes them later.
   * @throws RelayError `storage_failed`
   */
  async delete(): Promise<void> {
    this.grant = null;
    this.renewing = false;
    this.newlyConnected = false;
    this.saved = false;
    const statement = this.source
      .createQueryBuilder()
      .delete()
      .from(GrantEntity)
      .where({ id: 1 })
      .getQueryAndParameters();
    await this.journal.change([statement]);
    if (this.grant === null) this.saved = true;
    this.tellChange();
  }

  /** Repeats a save or delete that failed. @throws RelayError `storage_failed` */
  async retrySave(): Promise<void> {
    if (this.saved) return;
    await (this.grant === null ? this.delete() : this.save(this.grant));
  }

  /** Records that a renewal is about to be sent, so that it is known after a crash. @throws RelayError */
  async markRenewal(at: number): Promise<void> {
    const [sql, parameters] = this.source
      .createQueryBuilder()
      .update(GrantEntity)
      .set({ renewalStartedAt: at })
      .where({ id: 1 })
      .getQueryAndParameters();
    await this.journal.change([[sql, parameters]]);
    this.renewing = true;
    this.tellChange();
  }

  /** Marks the renewal as ended, whatever its outcome. */
  endRenewal(): void {
    if (!this.renewing) return;
    this.renewing = false;
    this.tellChange();
  }

  /**
   * A token that came due while this database was not in use is presented late, and perhaps for the second
   * time.
   */
  private async markUnused(grant: Grant): Promise<Grant> {
    const [heartbeat] = await this.source.query<{ at: number }[]>('SELECT at FROM heartbeat');
    const due = grant.refreshToken === null ? null : renewalDueAt(grant);
    const lastUse = heartbeat?.at ?? this.bounds.shown(grant.issuedAt);
    if (due === null || this.bounds.latestOf(lastUse) >= due || this.bounds.latest() < due) return grant;
    this.log.warn(
      { act: 'renew', last_use: lastUse },
      'The access token came due for renewal while this database was not in use: if it was restored from a backup, its refresh token may be used up',
    );
    return { ...grant, unusedSince: lastUse };
  }

  private tellChange(): void {
    for (const listener of this.changeListeners) listener();
  }

  private upsert(grant: Grant): Statement {
    const { accessToken, refreshToken } = grant;
    return this.source
      .createQueryBuilder()
      .insert()
      .into(GrantEntity)
      .values({
        id: 1,
        baseUrl: this.settings.copilot.baseUrl,
        clientId: this.settings.copilot.clientId,
        scopes: grant.scopes.join(' '),
        tokens: this.sealer.seal(JSON.stringify({ accessToken, refreshToken }), TOKENS_PURPOSE),
        state: grant.state,
        problem: grant.problem,
        connectedAt: grant.connectedAt,
        issuedAt: grant.issuedAt,
        expiresAt: grant.expiresAt,
        renewalStartedAt: grant.interruptedAt,
        failures: grant.failures,
        retryAt: grant.retryAt,
      })
      .orUpdate(GRANT_COLUMNS, ['id'])
      .getQueryAndParameters();
  }

  private fromRow(row: GrantEntity): Grant {
    const state = grantState.parse(row.state);
    return {
      ...sealedTokens.parse(JSON.parse(this.sealer.open(row.tokens, TOKENS_PURPOSE))),
      scopes: row.scopes.split(' ').filter(Boolean),
      state,
      problem: row.problem,
      connectedAt: row.connectedAt,
      issuedAt: row.issuedAt,
      expiresAt: row.expiresAt,
      interruptedAt: row.renewalStartedAt,
      unusedSince: null,
      failures: row.failures,
      // The client secret may have been corrected since: retry at once.
      retryAt: state === 'client_refused' ? null : row.retryAt,
    };
  }
}
