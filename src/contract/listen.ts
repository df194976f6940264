/** One attempt of a delivery, to be made with exactly these headers and bytes. */
export interface ListenDelivery {
  /** The id of the delivery. */
  delivery: string;
  attempt: number;
  headers: Record<string, string>;
  body: Uint8Array;
  timeout_ms: number;
}

/**
 * The outcome of an attempt: `status` if there was a response, else `error`. `not_connected`: nothing was sent, because
 * no connection could be opened; then the attempt does not count.
 */
export interface ListenResult {
  delivery: string;
  attempt: number;
  status?: number;
  error?: 'timeout' | 'connection_reset' | 'response_invalid' | 'not_connected';
  duration_ms: number;
  /** At most 1 KiB. */
  excerpt?: string;
  retry_after?: string;
}
