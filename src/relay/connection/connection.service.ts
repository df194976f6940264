import { Injectable } from '@nestjs/common';
import type { Connection } from '../../contract/connection';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import {
  AuthorizationFlow,
  type StartedAuthorization,
  type AuthorizationOutcome,
} from './authorization-flow';
import { describeConnection } from './describe-connection';
import { Grants } from './grants';

/** The connection for the rest of the relay. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly grants: Grants,
    private readonly authorization: AuthorizationFlow,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** The connection as the API shows it. */
  state(): Connection {
    const { current, isRenewing } = this.grants;
    const facts = {
      grant: current,
      renewing: isRenewing,
      failure: this.authorization.lastFailure,
      toWallClock: (at: number) => this.bounds.shown(at),
    };
    return describeConnection(facts, this.settings.copilot);
  }

  /** Called after each change of `state()`, once it is stored. */
  onChange(listener: () => void): void {
    this.grants.onChange(listener);
    this.authorization.onFailure(listener);
  }

  /** Called when an authorization has produced a grant, once it is stored. */
  onConnected(listener: () => void): void {
    this.grants.onConnected(listener);
  }

  /** @throws RelayError `storage_failed` */
  startAuthorization(): Promise<StartedAuthorization> {
    return this.authorization.start();
  }

  /**
   * @param query the callback's, unchecked
   * @param browserSecrets every browser secret in the request's cookies
   * @throws RelayError `storage_failed`
   */
  completeAuthorization(query: unknown, browserSecrets: readonly string[]): Promise<AuthorizationOutcome> {
    return this.authorization.complete(query, browserSecrets);
  }

  /**
   * Deletes the tokens; Co-Pilot has no endpoint to revoke them (document, 5.4). Webhooks must be deleted
   * first, since that requires the tokens.
   * @throws RelayError `storage_failed`
   */
  async disconnect(): Promise<void> {
    await this.grants.delete();
    await this.authorization.clearFailures();
    this.log.info({ act: 'disconnect', outcome: 'not_connected' }, 'grant deleted');
  }
}
