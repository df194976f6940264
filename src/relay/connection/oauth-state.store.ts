import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { inJsonList } from '../database/reading/dialect';
import { Journal } from '../database/journal/journal';
import { insert, type Statement } from '../database/journal/statements';

export const STATE_LIFETIME_MS = 15 * 60_000;
/** How long an expired state is kept, so that a late or repeated callback gets a precise error. */
const STATE_RETENTION_MS = 86_400_000;

export type ConsumeOutcome =
  | { kind: 'consumed'; redirectUri: string; at: number }
  | { kind: 'unknown' | 'used' | 'expired' };

interface Row {
  stateHash: string;
  redirectUri: string;
  expiresAt: number;
  usedAt: number | null;
}

/**
 * The `state` of each started authorization with the secret of its browser: stored as their hash, valid once, for 15
 * minutes, across restarts.
 */
@Injectable()
export class OAuthStateStore implements OnModuleInit {
  private interrupted: number | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const [latest] = await this.source.query<{ since: number | null }[]>(
      'SELECT max(exchanging_since) AS since FROM oauth_states',
    );
    this.interrupted = latest?.since ?? null;
  }

  /** When the last code exchange began that ended with its process, in ms since 1970; null if there is none. */
  get interruptedAt(): number | null {
    return this.interrupted;
  }

  /**
   * @param state what the URL of the callback must contain
   * @param browserSecret what its cookie must
   * @throws RelayError `storage_failed`
   */
  async create(state: string, browserSecret: string, redirectUri: string): Promise<void> {
    const now = this.clock.now();
    const prune: Statement = ['DELETE FROM oauth_states WHERE expires_at < ?', [now - STATE_RETENTION_MS]];
    const added = insert('oauth_states', {
      state_hash: hash(state, browserSecret),
      redirect_uri: redirectUri,
      expires_at: now + STATE_LIFETIME_MS,
    });
    await this.journal.change({ statements: [prune, added] });
  }

  /**
   * Invalidates a state. A single statement decides, so that only one of two concurrent callbacks gets it. If a code
   * will be exchanged, that is recorded with it before anything is sent.
   * @param browserSecrets every secret that the browser sent
   * @throws RelayError `storage_failed`
   */
  async consume(
    state: string,
    browserSecrets: readonly string[],
    exchanging: boolean,
  ): Promise<ConsumeOutcome> {
    // Read first: anybody may call this, and guesses must not cause writes.
    const hashes = browserSecrets.map((browserSecret) => hash(state, browserSecret));
    const [consent] = await this.source.query<Row[]>(
      `SELECT state_hash AS "stateHash", redirect_uri AS "redirectUri", expires_at AS "expiresAt", used_at AS "usedAt"
       FROM oauth_states WHERE state_hash ${inJsonList('?', 'texts')}`,
      [JSON.stringify(hashes)],
    );
    if (consent === undefined) return { kind: 'unknown' };
    if (consent.usedAt !== null) return { kind: 'used' };
    const { stateHash } = consent;
    const now = this.clock.now();
    const expired = now >= consent.expiresAt;
    const { rows } = await this.journal.change({
      statements: [
        [
          'UPDATE oauth_states SET used_at = ?, exchanging_since = ? WHERE state_hash = ? AND used_at IS NULL RETURNING state_hash',
          [now, exchanging && !expired ? now : null, stateHash],
        ],
      ],
    });
    if (rows[0]?.length !== 1) return { kind: 'used' };
    if (expired) return { kind: 'expired' };
    return { kind: 'consumed', redirectUri: consent.redirectUri, at: now };
  }

  /** Records that the exchanges that began until `at` have ended. @throws RelayError `storage_failed` */
  async endExchanges(at: number): Promise<void> {
    await this.journal.change({
      statements: [['UPDATE oauth_states SET exchanging_since = NULL WHERE exchanging_since <= ?', [at]]],
    });
    this.interrupted = null;
  }
}

function hash(state: string, browserSecret: string): string {
  return createHash('sha256').update(`${state}.${browserSecret}`).digest('hex');
}
