import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, In, IsNull, LessThanOrEqual, Not } from 'typeorm';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { ConsentEntity } from './consent.entity';

export const STATE_LIFE_MS = 15 * 60_000;
/** Kept this long beyond its life, so that a late or second answer can be told what it is. */
const STATE_KEPT_MS = 86_400_000;

/** What an answer has to come with: the state in its address, the secret in a cookie of the browser. */
export interface ConsentKey {
  state: string;
  browser: string;
}

export type Redemption =
  { kind: 'redeemed'; redirectUri: string; at: number } | { kind: 'unknown' | 'used' | 'expired' };

/**
 * The `state` of each consent that was begun, with the secret of the browser that began it: stored as their hash, good once, for
 * 15 minutes, over restarts too.
 */
@Injectable()
export class ConsentStates implements OnModuleInit {
  private interrupted: number | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const [latest] = await this.source.getRepository(ConsentEntity).find({
      where: { exchangingSince: Not(IsNull()) },
      order: { exchangingSince: 'DESC' },
      take: 1,
    });
    this.interrupted = latest?.exchangingSince ?? null;
  }

  /** When the exchange of a code began that the end of the process before this one interrupted. */
  get interruptedAt(): number | null {
    return this.interrupted;
  }

  /** @throws RelayError `storage_failed` */
  async begin({ state, browser }: ConsentKey, redirectUri: string): Promise<void> {
    const now = this.clock.now();
    const insert = this.source
      .createQueryBuilder()
      .insert()
      .into(ConsentEntity)
      .values({
        stateHash: hash(state, browser),
        redirectUri,
        expiresAt: now + STATE_LIFE_MS,
        usedAt: null,
        exchangingSince: null,
      })
      .getQueryAndParameters();
    const forget = this.source
      .createQueryBuilder()
      .delete()
      .from(ConsentEntity)
      .where('expires_at < :before', { before: now - STATE_KEPT_MS })
      .getQueryAndParameters();
    await this.journal.change([forget, insert]);
  }

  /**
   * Takes a state out of use. The one statement decides, so that of two answers at once one alone gets it. Where a code is
   * to be exchanged, that goes on record with it, before anything is sent.
   * @param browsers each secret that the browser sent
   * @throws RelayError `storage_failed`
   */
  async redeem(state: string, browsers: readonly string[], exchanging: boolean): Promise<Redemption> {
    // Read first: anybody may call, and who only guesses shall cause no writing.
    const consent = await this.source
      .getRepository(ConsentEntity)
      .findOneBy({ stateHash: In(browsers.map((browser) => hash(state, browser))) });
    if (consent === null) return { kind: 'unknown' };
    if (consent.usedAt !== null) return { kind: 'used' };
    const { stateHash } = consent;
    const now = this.clock.now();
    const expired = now >= consent.expiresAt;
    const [sql, parameters] = this.source
      .createQueryBuilder()
      .update(ConsentEntity)
      .set({ usedAt: now, exchangingSince: exchanging && !expired ? now : null })
      .where('state_hash = :stateHash AND used_at IS NULL', { stateHash })
      .getQueryAndParameters();
    // TypeORM knows no RETURNING for SQLite, which has it.
    const { rows } = await this.journal.change([[`${sql} RETURNING state_hash`, parameters]]);
    if (rows[0]?.length !== 1) return { kind: 'used' };
    if (expired) return { kind: 'expired' };
    return { kind: 'redeemed', redirectUri: consent.redirectUri, at: now };
  }

  /** The exchanges begun until `at` have had their outcome. @throws RelayError `storage_failed` */
  async settle(at: number): Promise<void> {
    const statement = this.source
      .createQueryBuilder()
      .update(ConsentEntity)
      .set({ exchangingSince: null })
      .where({ exchangingSince: LessThanOrEqual(at) })
      .getQueryAndParameters();
    await this.journal.change([statement]);
    this.interrupted = null;
  }
}

function hash(state: string, browser: string): string {
  return createHash('sha256').update(`${state}.${browser}`).digest('hex');
}
