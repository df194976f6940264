import type { EventType } from '../protocol/event-types';
import type { Outcome } from './webhooks/delivery';

/** One request that was answered. `path` comes without its query, which may carry codes and state. */
export interface RequestRecord {
  kind: 'request';
  at: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
}

/** One try at a notification. `origin` only, since a receiver's path may be its key. */
interface AttemptRecord {
  kind: 'attempt';
  at: string;
  method: 'POST';
  origin: string;
  webhookId: string;
  event: EventType;
  /** 1 to 3 (document, 6.3). */
  attempt: number;
  outcome: Outcome['kind'];
  /** The status answered, if one was. */
  status: number | null;
  durationMs: number;
}

/** Something that the sandbox could not do. */
interface FaultRecord {
  kind: 'fault';
  at: string;
  message: string;
}

/** One act of the sandbox. Never a secret, a code or a token. */
export type LogRecord = RequestRecord | AttemptRecord | FaultRecord;

const REQUESTS_LIMIT = 1_000;

/** Hands every record to the listener and keeps the latest 1,000 requests; attempts are kept by their webhooks. */
export class SandboxLog {
  private readonly latestRequests: RequestRecord[] = [];

  constructor(private readonly listener: (record: LogRecord) => void) {}

  add(record: LogRecord): void {
    this.listener(record);
    if (record.kind !== 'request') return;
    this.latestRequests.push(record);
    if (this.latestRequests.length > REQUESTS_LIMIT) this.latestRequests.shift();
  }

  /** The requests kept, oldest first. */
  requests(): RequestRecord[] {
    return [...this.latestRequests];
  }
}
