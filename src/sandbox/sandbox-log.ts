import type { EventType } from '../protocol/event-types';
import type { Outcome } from './webhooks/delivery';

/** A request to the sandbox. `path` excludes the query, which may contain codes and state. */
export interface RequestRecord {
  kind: 'request';
  at: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
}

/** Never contains secrets, codes or tokens. */
export type LogRecord =
  | RequestRecord
  /** One attempt at a notification. Only the origin is logged, because the path may be a secret. */
  | {
      kind: 'attempt';
      at: string;
      method: 'POST';
      origin: string;
      webhookId: string;
      event: EventType;
      /** 1 to 3 (document, 6.3). */
      attempt: number;
      outcome: Outcome['kind'];
      /** Null if there was no response. */
      status: number | null;
      /** Of the network error, such as ECONNRESET; null if there was none. */
      code: string | null;
      durationMs: number;
    }
  /** A failure of the sandbox itself. */
  | { kind: 'error'; at: string; message: string };

const REQUESTS_LIMIT = 1_000;

/** Passes records to the listener and stores the latest requests. Attempts are stored with their webhooks. */
export class SandboxLog {
  private readonly latestRequests: RequestRecord[] = [];

  constructor(private readonly listener: (record: LogRecord) => void) {}

  add(record: LogRecord): void {
    this.listener(record);
    if (record.kind !== 'request') return;
    this.latestRequests.push(record);
    if (this.latestRequests.length > REQUESTS_LIMIT) this.latestRequests.shift();
  }

  /** Oldest first. */
  requests(): RequestRecord[] {
    return [...this.latestRequests];
  }
}
