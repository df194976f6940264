import type { LookupAddress } from 'node:dns';
import type { ProxyServer } from '../../network/outgoing-proxy';
import type { AttemptOutcome } from './attempt-outcome';
import type { ConnectionSettings } from './connection-settings';

/** To the thread that sends. `connections` is the number of the connections to one target, in all messages. */
export type ToSendingThread =
  | { kind: 'open'; connections: number; settings: ConnectionSettings; proxy: ProxyServer | null }
  /** Requests in flight are aborted. */
  | { kind: 'close'; connections: number }
  /** `bodies`: those of all requests, one after the other. */
  | { kind: 'send'; requests: SentRequest[]; bodies: ArrayBuffer }
  | ({ kind: 'resolved'; lookup: number } & Resolved);

/** A tuple, because a message repeats the property names of every object in it. */
export type SentRequest = [
  connections: number,
  id: number,
  headers: Record<string, string>,
  bodyBytes: number,
  secrets: readonly string[],
];

export type Resolved = { addresses: LookupAddress[] } | { code: string };

export type FromSendingThread = { kind: 'outcomes'; outcomes: SentOutcome[] } | Lookup;

/** Asks which addresses connections may use: those of a host, or of the proxy. */
export interface Lookup {
  kind: 'resolve';
  lookup: number;
  connections: number;
  host: string;
  isProxy: boolean;
}

/** The outcome of a request. A tuple too. */
export type SentOutcome = [
  connections: number,
  id: number,
  status: AttemptOutcome['status'],
  error: AttemptOutcome['error'],
  durationMs: number,
  excerpt: string | null,
  retryAfter: string | null,
  wasStale: boolean,
];
