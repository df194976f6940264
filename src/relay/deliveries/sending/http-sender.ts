import type { AddressGuard } from '../../targets/address-guard';
import { failedOutcome, type AttemptOutcome } from './attempt-outcome';
import type { ConnectionSettings } from './connection-settings';
import { describeNetworkError } from './network-error';
import type { SendingThread } from './sending-thread';

/** Sends requests to one target by HTTP, through the thread that sends. */
export class HttpSender {
  private readonly denialCode: () => string | null;
  private readonly connections: number;

  constructor(
    settings: ConnectionSettings,
    guard: AddressGuard,
    private readonly thread: SendingThread,
  ) {
    const url = new URL(settings.url);
    this.denialCode = guard.literalCheckFor(url);
    this.connections = thread.open(settings, guard.routeTo(url));
  }

  send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const denied = this.denialCode();
    if (denied === null) return this.thread.send(this.connections, headers, body, secrets);
    return Promise.resolve(failedOutcome(describeNetworkError({ code: denied }).error, performance.now()));
  }

  close(): Promise<void> {
    return this.thread.close(this.connections);
  }

  abort(): Promise<void> {
    this.thread.abort(this.connections);
    return Promise.resolve();
  }
}
