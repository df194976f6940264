import { Injectable } from '@nestjs/common';
import type { Connection } from '../../contract/connection';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { AuthorizationFlow } from './authorization-flow';
import { describeConnection } from './describe-connection';
import { GrantStore } from './grant.store';

/** Describes the connection, and ends it. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly grants: GrantStore,
    private readonly authorization: AuthorizationFlow,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** The connection as the API shows it. */
  state(): Connection {
    const facts = {
      grant: this.grants.current,
      renewing: this.grants.isRenewing,
      failure: this.authorization.lastFailure,
      toWallClock: (at: number) => this.bounds.toWallClock(at),
    };
    return describeConnection(facts, this.settings.copilot);
  }

  /** Calls `listener` after each change of `state()`. */
  onChange(listener: () => void): void {
    this.grants.onChange(listener);
    this.authorization.onFailure(listener);
  }

  /**
   * Deletes the tokens; Co-Pilot has no endpoint to revoke them (document, 5.4). Webhooks must be deleted first,
   * since that requires the tokens.
   * @throws RelayError `storage_failed`
   */
  async disconnect(): Promise<void> {
    await this.grants.delete();
    await this.authorization.clearFailures();
    this.log.info({ action: 'disconnect', outcome: 'not_connected' }, 'grant deleted');
  }
}
