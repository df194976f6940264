import { Injectable } from '@nestjs/common';
import type { Connection } from '../../contract/connection';
import { Settings } from '../settings/settings';
import { Consents, type ConsentOutcome } from './consents';
import { describeConnection } from './describe-connection';
import { Grants } from './grants';

/** The connection as the rest of the relay sees it. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly grants: Grants,
    private readonly consents: Consents,
    private readonly settings: Settings,
  ) {}

  /** The connection in plain words. */
  state(): Connection {
    return describeConnection(this.grants.current, this.grants.isRenewing, this.settings.copilot);
  }

  /** Told after each change of `state()`, once it is on disk. */
  onChange(listener: () => void): void {
    this.grants.onChange(listener);
  }

  /** Told when a consent has brought a grant, once it is on disk. */
  onConnected(listener: () => void): void {
    this.grants.onConnected(listener);
  }

  /** @returns the address of Co-Pilot's consent page. @throws RelayError `storage_failed` */
  begin(): Promise<string> {
    return this.consents.begin();
  }

  /** @param query the callback's, unchecked. @throws RelayError `storage_failed` */
  complete(query: unknown): Promise<ConsentOutcome> {
    return this.consents.complete(query);
  }
}
