import type { Server } from 'node:http';
import { problemDetails } from './describe-problem';

/** The problems to respond with to requests that no listener gets. */
export const REJECTIONS = {
  headers_too_large: problemDetails(431, 'headers_too_large', 'The headers are larger than 32 KiB.'),
  malformed: problemDetails(400, 'invalid_request', 'This is not a valid HTTP request.'),
  request_timeout: problemDetails(408, 'request_timeout', 'The request did not arrive in time.'),
  expectation_failed: problemDetails(
    417,
    'expectation_failed',
    'The only expectation that is met is 100-continue.',
  ),
};

export type AnsweredReason = keyof typeof REJECTIONS;

/**
 * Why a request is rejected before any listener gets it. `pipelined`: it was sent behind more unanswered requests
 * than a connection may have; `aborted`: its connection was closed while it waited for its turn.
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
