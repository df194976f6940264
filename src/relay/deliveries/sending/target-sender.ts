import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AddressGuard } from '../../targets/address-guard';
import type { AttemptOutcome } from './attempt-outcome';
import type { TargetRecord } from '../../targets/target-record';
import { ListenerSender } from '../listeners/listener-sender';
import type { ListenerLinks } from '../listeners/listener-links';
import { HttpSender } from './http-sender';
import type { SendingThread } from './sending-thread';
import { SmtpConnections } from './smtp-connections';

/** What this machine lacks now, it lacks for all: the delivery that is still due is not tried again at once. */
const LOCAL_FAILURE_PAUSE_MS = 1_000;

/** The connections to a target until its settings change. */
interface Connections {
  send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null>;
  /** Resolves once the requests in flight have ended. */
  close(): Promise<void>;
  /** Aborts requests in flight. */
  abort(): Promise<void>;
}

type SentTo = Pick<TargetRecord, 'number' | 'url' | 'tls' | 'policy'>;

export interface SenderTools {
  guard: AddressGuard;
  sending: SendingThread;
  listeners: ListenerLinks;
}

/** Sends requests to one target: by HTTP, to a mail server by SMTP, or through the process that listens for it. */
export class TargetSender {
  private current: Connections;
  /** Connections that were replaced after a change of the target, until their requests have ended. */
  private readonly retired = new Set<Connections>();

  constructor(
    private target: SentTo,
    private readonly tools: SenderTools,
  ) {
    this.current = openConnections(target, tools);
  }

  /** Applies a change of the target. @returns whether it needs new connections */
  update(target: SentTo): boolean {
    if (sameConnections(this.target, target)) return false;
    const before = this.current;
    this.target = target;
    this.current = openConnections(target, this.tools);
    this.retired.add(before);
    void before.close().then(() => this.retired.delete(before));
    return true;
  }

  /**
   * Sends one request. Every failure of target or network is an outcome. Redirects are not followed.
   * @param secrets masked in the excerpt, in case the target echoes them
   * @returns null if its outcome is unknown: `close` aborted it, or the thread that sends failed
   */
  async send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const outcome = await this.current.send(headers, body, secrets);
    if (outcome?.error === 'local_failure') {
      this.tools.sending.faults.report(outcome.excerpt);
      await wait(LOCAL_FAILURE_PAUSE_MS);
    }
    return outcome;
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await Promise.all([this.current, ...this.retired].map((connections) => connections.abort()));
  }
}

function openConnections(target: SentTo, { guard, sending, listeners }: SenderTools): Connections {
  const { url, tls, policy } = target;
  if (url === null) return new ListenerSender(target, listeners);
  return url.startsWith('smtp')
    ? new SmtpConnections({ url, tls, policy }, guard)
    : new HttpSender({ url, tls, policy }, guard, sending);
}

function sameConnections(one: SentTo, other: SentTo): boolean {
  return (
    one.url === other.url &&
    one.policy.timeout_ms === other.policy.timeout_ms &&
    one.policy.concurrency === other.policy.concurrency &&
    isDeepStrictEqual(one.policy.success, other.policy.success) &&
    isDeepStrictEqual(one.tls, other.tls)
  );
}
