import { Injectable } from '@nestjs/common';
import type { Connection } from '../../contract/connection';
import { Log } from '../ground/log';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { Consents, type BegunConsent, type ConsentOutcome } from './authorization-flow';
import { describeConnection } from './describe-connection';
import { Grants } from './grants';

/** The connection as the rest of the relay sees it. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly grants: Grants,
    private readonly consents: Consents,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  /** The connection in plain words. */
  state(): Connection {
    const { current, isRenewing } = this.grants;
    const facts = {
      grant: current,
      renewing: isRenewing,
      failed: this.consents.lastFailure,
      shown: (at: number) => this.bounds.shown(at),
    };
    return describeConnection(facts, this.settings.copilot);
  }

  /** Told after each change of `state()`, once it is on disk. */
  onChange(listener: () => void): void {
    this.grants.onChange(listener);
    this.consents.onFailure(listener);
  }

  /** Told when a consent has brought a grant, once it is on disk. */
  onConnected(listener: () => void): void {
    this.grants.onConnected(listener);
  }

  /** @throws RelayError `storage_failed` */
  begin(): Promise<BegunConsent> {
    return this.consents.begin();
  }

  /**
   * @param query the callback's, unchecked
   * @param browsers each secret of a consent that the browser sent
   * @throws RelayError `storage_failed`
   */
  complete(query: unknown, browsers: readonly string[]): Promise<ConsentOutcome> {
    return this.consents.complete(query, browsers);
  }

  /**
   * Gives the connection up: the tokens are gone from here; Co-Pilot has no way of being told (document, 5.4). What is
   * registered there has to be removed before, as that wants the tokens.
   * @throws RelayError `storage_failed`
   */
  async forget(): Promise<void> {
    await this.grants.forget();
    await this.consents.forgetFailures();
    this.log.info({ act: 'disconnect', outcome: 'not_connected' }, 'the grant was forgotten');
  }
}
