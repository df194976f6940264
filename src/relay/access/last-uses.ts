import type { Journal } from '../database/journal/journal';
import type { Log } from '../ground/log';

/** How often the times of last use are saved. */
export const SAVE_EVERY_MS = 60_000;

interface Credential {
  id: string;
  lastUsedAt: number | null;
}

/** Collects when sessions or API tokens were last used, so that not every request causes a write. */
export class LastUses {
  private readonly unsaved = new Set<Credential>();

  constructor(
    private readonly table: 'sessions' | 'api_tokens',
    private readonly journal: Journal,
    private readonly log: Log,
  ) {}

  /** @param at in ms since 1970 */
  record(credential: Credential, at: number): void {
    credential.lastUsedAt = at;
    this.unsaved.add(credential);
  }

  forget(credential: Credential): void {
    this.unsaved.delete(credential);
  }

  /** Writes the times recorded since the last call; if that fails, the next call retries. */
  async save(): Promise<void> {
    const credentials = [...this.unsaved];
    if (credentials.length === 0) return;
    this.unsaved.clear();
    const update = `UPDATE ${this.table} SET last_used_at = ? WHERE id = ?`;
    try {
      await this.journal.change({
        statements: credentials.map(({ id, lastUsedAt }) => [update, [lastUsedAt, id]]),
      });
    } catch (error) {
      for (const credential of credentials) this.unsaved.add(credential);
      this.log.warn({ err: error, table: this.table }, 'times of last use not saved');
    }
  }
}
