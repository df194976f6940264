import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Journal } from '../database/journal/journal';
import { upsert, type Statement } from '../database/journal/statements';
import { StartupError } from '../ground/relay-error';
import { Sealer } from '../secrets/sealer';
import { Log } from '../ground/log';
import { Settings, type CopilotSettings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { GRANT_STATES, renewalDueAt, type Grant } from './grant';
import { Signal } from '../ground/signal';

const TOKENS_PURPOSE = 'grants.tokens';

/** `scopes` are separated by spaces, `tokens` sealed. */
type GrantRow = Omit<Grant, 'accessToken' | 'refreshToken' | 'scopes' | 'unusedSince'> &
  Record<'baseUrl' | 'clientId' | 'scopes' | 'tokens', string>;

const SELECT = `SELECT base_url AS "baseUrl", client_id AS "clientId", scopes, tokens, state, problem,
  connected_at AS "connectedAt", issued_at AS "issuedAt", expires_at AS "expiresAt",
  renewal_started_at AS "interruptedAt", failures, retry_at AS "retryAt" FROM grants`;

const grantState = z.enum(GRANT_STATES);
const sealedTokens = z.object({ accessToken: z.string(), refreshToken: z.string().nullable() });

/** The single grant: kept in memory, and stored encrypted. */
@Injectable()
export class GrantStore implements OnModuleInit {
  private grant: Grant | null = null;
  private renewalInProgress = false;
  /** Whether the database has what is in memory. */
  private isStored = true;
  /** Whether the grant is from a new consent, of which the listeners are not notified yet. */
  private newlyConnected = false;
  private readonly changes = new Signal();
  private readonly connected = new Signal();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly sealer: Sealer,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** @throws StartupError see {@link assertMatchesSettings} */
  async onModuleInit(): Promise<void> {
    const row = await this.readRow();
    if (row === undefined) return;
    assertMatchesSettings(row, this.settings.copilot);
    this.grant = await this.markUnused(this.fromRow(row));
  }

  get current(): Grant | null {
    return this.grant;
  }

  /** Whether requests to Co-Pilot are possible: there is a grant, and it needs no new consent. */
  get isUsable(): boolean {
    return this.grant !== null && this.grant.state !== 'consent_needed';
  }

  /** Whether a renewal is in progress. */
  get isRenewing(): boolean {
    return this.renewalInProgress;
  }

  /**
   * Calls `listener` after each change of the grant, once it is stored, and at the start and the end of a renewal.
   */
  onChange(listener: () => void): void {
    this.changes.subscribe(listener);
  }

  /** Calls `listener` when an authorization has produced a grant, once it is stored. */
  onConnected(listener: () => void): void {
    this.connected.subscribe(listener);
  }

  /** Replaces the grant by one from a new consent. @throws RelayError `storage_failed` */
  async connect(grant: Grant): Promise<void> {
    this.newlyConnected = true;
    await this.save(grant);
  }

  /**
   * Uses a grant at once and stores it. If the disk fails it stays in memory, since Co-Pilot may already have
   * invalidated the previous one; `retrySave` stores it later.
   * @throws RelayError `storage_failed`
   */
  async save(grant: Grant): Promise<void> {
    this.grant = grant;
    this.isStored = false;
    await this.journal.change({ statements: [this.upsert(grant)] });
    if (this.grant === grant) {
      this.isStored = true;
      this.renewalInProgress = false;
    }
    this.changes.emit();
    if (!this.newlyConnected) return;
    this.newlyConnected = false;
    this.connected.emit();
  }

  /**
   * Deletes grant and tokens at once; a renewal in progress does not restore them. If the disk fails, `retrySave`
   * deletes them later.
   * @throws RelayError `storage_failed`
   */
  async delete(): Promise<void> {
    this.grant = null;
    this.renewalInProgress = false;
    this.newlyConnected = false;
    this.isStored = false;
    await this.journal.change({ statements: [['DELETE FROM grants WHERE id = 1', []]] });
    if (this.grant === null) this.isStored = true;
    this.changes.emit();
  }

  /** Repeats a save or delete that failed. @throws RelayError `storage_failed` */
  async retrySave(): Promise<void> {
    if (this.isStored) return;
    await (this.grant === null ? this.delete() : this.save(this.grant));
  }

  /**
   * Records that a renewal is about to be sent, so that it is known after a crash. If another daemon has renewed the
   * tokens, its grant is `current` afterwards: a refresh token can be used once.
   * @throws RelayError `storage_failed`
   */
  async recordRenewalStart(at: number): Promise<void> {
    const before = this.grant;
    const { rows } = await this.journal.change({
      statements: [['UPDATE grants SET renewal_started_at = ? WHERE id = 1 RETURNING tokens', [at]]],
    });
    this.renewalInProgress = true;
    const [stored] = rows[0] as { tokens: string }[];
    if (this.isStored && this.grant === before && stored !== undefined)
      await this.adoptRenewed(stored.tokens);
    this.changes.emit();
  }

  /** @param sealed the stored tokens */
  private async adoptRenewed(sealed: string): Promise<void> {
    const { refreshToken } = this.openTokens(sealed);
    if (refreshToken === this.grant?.refreshToken) return;
    const row = await this.readRow();
    this.grant = row === undefined ? null : this.fromRow(row);
  }

  private openTokens(sealed: string) {
    return sealedTokens.parse(JSON.parse(this.sealer.open(sealed, TOKENS_PURPOSE)));
  }

  /** Marks the renewal as ended, whatever its outcome. */
  endRenewal(): void {
    if (!this.renewalInProgress) return;
    this.renewalInProgress = false;
    this.changes.emit();
  }

  /**
   * Marks a grant whose renewal came due while this database was not in use. If the database was restored from a
   * backup, the refresh token may have been used since.
   */
  private async markUnused(grant: Grant): Promise<Grant> {
    const [heartbeat] = await this.source.query<{ at: number }[]>('SELECT at FROM heartbeat');
    const due = grant.refreshToken === null ? null : renewalDueAt(grant);
    const lastUse = heartbeat?.at ?? this.bounds.toWallClock(grant.issuedAt);
    if (due === null || this.bounds.fromWallClock(lastUse) >= due || this.bounds.latest() < due) return grant;
    this.log.warn(
      { action: 'renew', last_use: lastUse },
      'The access token came due for renewal while this database was not in use: if it was restored from a backup, its refresh token may be used up',
    );
    return { ...grant, unusedSince: lastUse };
  }

  private upsert(grant: Grant): Statement {
    const { accessToken, refreshToken } = grant;
    return upsert('grants', 'id', {
      id: 1,
      base_url: this.settings.copilot.baseUrl,
      client_id: this.settings.copilot.clientId,
      scopes: grant.scopes.join(' '),
      tokens: this.sealer.seal(JSON.stringify({ accessToken, refreshToken }), TOKENS_PURPOSE),
      state: grant.state,
      problem: grant.problem,
      connected_at: grant.connectedAt,
      issued_at: grant.issuedAt,
      expires_at: grant.expiresAt,
      renewal_started_at: grant.interruptedAt,
      failures: grant.failures,
      retry_at: grant.retryAt,
    });
  }

  private async readRow(): Promise<GrantRow | undefined> {
    return (await this.source.query<GrantRow[]>(SELECT))[0];
  }

  private fromRow({ tokens, scopes, ...row }: GrantRow): Grant {
    const state = grantState.parse(row.state);
    return {
      ...row,
      ...this.openTokens(tokens),
      scopes: scopes.split(' ').filter(Boolean),
      state,
      unusedSince: null,
      // The client secret may have been corrected since: retry at once.
      retryAt: state === 'client_rejected' ? null : row.retryAt,
    };
  }
}

/**
 * Checks the stored grant against the settings: its tokens must not be sent to another service or for another client.
 * @throws StartupError when the grant belongs to another COPILOT_BASE_URL or COPILOT_CLIENT_ID
 */
function assertMatchesSettings(stored: GrantRow, { baseUrl, clientId }: CopilotSettings): void {
  const faults = [
    { where: 'COPILOT_BASE_URL', stored: stored.baseUrl, given: baseUrl },
    { where: 'COPILOT_CLIENT_ID', stored: stored.clientId, given: clientId },
  ]
    .filter((setting) => setting.stored !== setting.given)
    .map(({ where, stored: of, given: configured }) => ({
      where,
      what: `The stored grant belongs to ${of}, and ${where} is ${configured}.`,
      remedy: 'Restore the setting, or use another DATA_DIR: another service or client needs a new database.',
    }));
  if (faults.length > 0) throw new StartupError(faults);
}
