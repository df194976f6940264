import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Journal } from '../database/journal/journal';
import { update } from '../database/journal/statements';
import { Log } from '../ground/log';

const SAVE_EVERY_MS = 60_000;

interface Credential {
  id: string;
  lastUsedAt: number | null;
}

/** Collects when sessions and API tokens were last used, so that not every request causes a write. */
@Injectable()
export class LastUses implements OnModuleDestroy {
  private readonly unsaved = new Map<Credential, 'sessions' | 'api_tokens'>();

  constructor(
    private readonly journal: Journal,
    private readonly log: Log,
  ) {}

  /** @param at in ms since 1970 */
  record(table: 'sessions' | 'api_tokens', credential: Credential, at: number): void {
    credential.lastUsedAt = at;
    this.unsaved.set(credential, table);
  }

  forget(credential: Credential): void {
    this.unsaved.delete(credential);
  }

  /** Writes the times recorded since the last call; if that fails, the next call retries. */
  @Interval(SAVE_EVERY_MS)
  async save(): Promise<void> {
    const uses = [...this.unsaved];
    if (uses.length === 0) return;
    this.unsaved.clear();
    try {
      await this.journal.change({
        statements: uses.map(([{ id, lastUsedAt }, table]) =>
          update(table, id, { last_used_at: lastUsedAt }),
        ),
      });
    } catch (error) {
      for (const [credential, table] of uses) this.unsaved.set(credential, table);
      this.log.warn({ err: error }, 'times of last use not saved');
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.save();
  }
}
