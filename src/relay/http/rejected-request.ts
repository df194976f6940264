import type { Server } from 'node:http';
import { problemDetails } from './describe-problem';

/** The responses to requests that no listener gets. */
const RESPONSES = {
  headers_too_large: [431, 'headers_too_large', 'The headers are larger than 32 KiB.'],
  malformed: [400, 'invalid_request', 'This is not a valid HTTP request.'],
  request_timeout: [408, 'request_timeout', 'The request did not arrive in time.'],
  expectation_failed: [417, 'expectation_failed', 'The only expectation that is met is 100-continue.'],
} as const;

export type AnsweredReason = keyof typeof RESPONSES;

/**
 * Why a request is rejected before any listener gets it. `pipelined`: it was sent behind more unanswered requests than a connection
 * may have; `aborted`: its connection was closed while it waited for its turn.
 */
type RejectedReason = AnsweredReason | 'pipelined' | 'aborted';

export interface RejectedRequest {
  /** Null if it is not known: the parser has failed after the start of the request. */
  url: string | null;
  reason: RejectedReason;
}

const EVENT = 'rejected';

export const reportRejected = (server: Server, rejected: RejectedRequest): unknown =>
  server.emit(EVENT, rejected);

/** Calls `listener` for each request that the server refuses by itself. */
export const onRejected = (server: Server, listener: (rejected: RejectedRequest) => void): unknown =>
  server.on(EVENT, listener);

/** The problem to respond with, in JSON. */
export function rejectionProblem(reason: AnsweredReason): { status: number; body: string } {
  const [status, code, detail] = RESPONSES[reason];
  return { status, body: JSON.stringify(problemDetails(status, code, detail)) };
}
