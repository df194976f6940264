import { z } from 'zod';

export const listenHandshake = z
  .object({
    target: z.string().max(100).describe('The id of the target.'),
    client_id: z
      .string()
      .min(16)
      .max(100)
      .describe('Random for each process: its next connection replaces the one before.'),
    version: z.string().max(100).describe('Of the process.'),
    forward_to: z.string().max(2_000).describe('Where it forwards events to, for people.'),
    capacity: z.number().int().min(1).max(64).describe('How many attempts it makes at a time.'),
    take_over: z.boolean().describe('Ends the connection of another process.'),
  })
  .describe('Sent by a process when it connects for a listener. All its messages are below 4 KiB.');
export type ListenHandshake = z.infer<typeof listenHandshake>;

export const listenResult = z
  .object({
    delivery: z.string().describe('The id of the delivery.'),
    attempt: z.number().int(),
    status: z.number().int().min(100).max(599).optional(),
    error: z.enum(['timeout', 'connection_reset', 'response_invalid', 'not_connected']).optional(),
    duration_ms: z.number().int().min(0).max(86_400_000),
    excerpt: z.string().max(1_024).optional().describe('The beginning of the response: at most 1 KiB.'),
    retry_after: z.string().max(100).optional(),
  })
  .refine(({ status, error }) => (status === undefined) !== (error === undefined))
  .describe(
    'The outcome of an attempt: `status` if there was a response, else `error`. `not_connected`: nothing was sent, because no connection could be opened; then the attempt does not count.',
  );
export type ListenResult = z.infer<typeof listenResult>;

/** One attempt of a delivery, to be made with exactly these headers and bytes. */
export interface ListenDelivery {
  /** The id of the delivery. */
  delivery: string;
  attempt: number;
  headers: Record<string, string>;
  body: Uint8Array;
  timeout_ms: number;
}

/** Why the hub closes a connection for good. */
export type ListenEnd = 'token_revoked' | 'token_expired' | 'target_removed' | 'taken_over';

export interface ListenServerMessages {
  /** What the process has connected for, with the number of deliveries that wait for it. */
  ready: (state: { name: string; queued: number; paused: boolean; disabled: boolean }) => void;
  deliver: (delivery: ListenDelivery) => void;
  /** Every four seconds, in both directions: who receives nothing for long enough closes the connection. */
  beat: () => void;
  bye: (end: { code: ListenEnd }) => void;
}

export interface ListenClientMessages {
  /** Whether it takes work: sent after `ready`, and as often as that changes. */
  accepting: (accepting: boolean) => void;
  /**
   * Answers a `deliver`, also one that repeats an attempt made before. Confirmed once the outcome is stored, which that
   * of a test is not.
   */
  result: (result: ListenResult, confirm: () => void) => void;
  beat: () => void;
}
