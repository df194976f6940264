import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Journal, type Statement } from '../database/journal';
import { Sealer } from '../secrets/sealer';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { GRANT_STATES, renewalDueAt, type Grant } from './grant';
import { assertGrantFits } from './grant-fits';
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

/** The one grant: held in memory, stored sealed, and told of when it has changed. */
@Injectable()
export class Grants implements OnModuleInit {
  private grant: Grant | null = null;
  private renewing = false;
  private stored = true;
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

  /** @throws StartupError see {@link assertGrantFits} */
  async onModuleInit(): Promise<void> {
    await assertGrantFits(this.source, this.settings.copilot);
    const row = await this.source.getRepository(GrantEntity).findOneBy({ id: 1 });
    this.grant = row === null ? null : await this.judgeUse(this.fromRow(row));
  }

  get current(): Grant | null {
    return this.grant;
  }

  /** Whether a renewal is under way at this moment. */
  get isRenewing(): boolean {
    return this.renewing;
  }

  /** Told after each change, once it is on disk. */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  /** Told when a consent has brought a grant, once it is on disk. */
  onConnected(listener: () => void): void {
    this.connectedListeners.push(listener);
  }

  /** Takes a grant from a new consent in place of whatever was there. @throws RelayError `storage_failed` */
  async connect(grant: Grant): Promise<void> {
    this.newlyConnected = true;
    await this.keep(grant);
  }

  /**
   * Holds a grant at once and stores it. Where the disk fails it stays in memory, since Co-Pilot may already have
   * forgotten the one before; `storeAgain` then catches up.
   * @throws RelayError `storage_failed`
   */
  async keep(grant: Grant): Promise<void> {
    this.grant = grant;
    this.renewing = false;
    this.stored = false;
    await this.journal.change([this.upsert(grant)]);
    if (this.grant === grant) this.stored = true;
    this.tellChange();
    if (!this.newlyConnected) return;
    this.newlyConnected = false;
    for (const listener of this.connectedListeners) listener();
  }

  /**
   * Forgets grant and tokens, at once; a renewal under way does not bring them back. Where the disk fails, `storeAgain`
   * catches up.
   * @throws RelayError `storage_failed`
   */
  async forget(): Promise<void> {
    this.grant = null;
    this.renewing = false;
    this.newlyConnected = false;
    this.stored = false;
    const statement = this.source
      .createQueryBuilder()
      .delete()
      .from(GrantEntity)
      .where({ id: 1 })
      .getQueryAndParameters();
    await this.journal.change([statement]);
    if (this.grant === null) this.stored = true;
    this.tellChange();
  }

  /** Stores what a failing disk refused before. @throws RelayError `storage_failed` */
  async storeAgain(): Promise<void> {
    if (this.stored) return;
    await (this.grant === null ? this.forget() : this.keep(this.grant));
  }

  /** Records that a renewal is about to be sent, so that a start after a crash knows. @throws RelayError */
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

  /** Whatever became of it, no renewal is under way any more. */
  renewalEnded(): void {
    if (!this.renewing) return;
    this.renewing = false;
    this.tellChange();
  }

  /** A token that came due while nobody used this database is presented late, and perhaps for the second time. */
  private async judgeUse(grant: Grant): Promise<Grant> {
    const [beat] = await this.source.query<{ at: number }[]>('SELECT at FROM heartbeat');
    const due = grant.refreshToken === null ? null : renewalDueAt(grant);
    const lastUse = beat?.at ?? this.bounds.shown(grant.issuedAt);
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
      // The client secret may have been set right since: do not wait for the hour to pass.
      retryAt: state === 'client_refused' ? null : row.retryAt,
    };
  }
}
