import { SwitchboardProblem, type Client } from './client';
import type { components, operations } from './generated/schema';

export type Event = components['schemas']['FollowingEvent'];

const WAIT_S = 30;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** A lease is renewed by each commit. */
const COMMIT_AFTER_MS = 10_000;

interface ReadOptions {
  /** Ends the loop. */
  signal?: AbortSignal;
  /** Called with how many events were removed before they were read; without it, that is a `position_pruned` problem. */
  onLoss?: (missed: number) => void;
}

type ListQuery = NonNullable<operations['listEvents']['parameters']['query']>;

export interface FollowOptions
  extends ReadOptions, Omit<ListQuery, 'cursor' | 'seq' | 'status' | 'target' | 'wait'> {}

/**
 * Events in their order, from the position `after` on (by default `newest`), until the loop is left. A lost connection is
 * resumed where it was; only the first request has to succeed. To go on in another run, keep the `id` of the last event.
 * @throws SwitchboardProblem
 */
export async function* follow(
  client: Client,
  { signal, onLoss, after = 'newest', ...query }: FollowOptions = {},
): AsyncGenerator<Event, void> {
  const retrying = retryingFrom(signal);
  for (let position = after; ;) {
    // If the connection were lost while waiting behind a position without a number, events would be skipped.
    const wait = position === 'newest' ? 0 : WAIT_S;
    try {
      const page = await retrying(() =>
        client.request('GET', '/api/v1/events', { query: { ...query, after: position, wait }, signal }),
      );
      yield* page.data as Event[];
      position = page.next_cursor!;
    } catch (error) {
      if (signal?.aborted) return;
      position = behindLoss(error, onLoss);
    }
  }
}

export interface ConsumeOptions extends ReadOptions {
  /** How many events to read at once: 1 to 200, by default 50. */
  limit?: number;
  include?: 'body';
  /** How long the hub waits for this reader: longer than the handler takes for one event. 10 to 600, by default 60. */
  leaseSeconds?: number;
  /** Ends the lease of another reader. */
  takeOver?: boolean;
}

/**
 * Calls the handler with each event that the consumer has not read, one after the other, until the signal. What the handler
 * has returned from is committed; what it throws ends this, and the event is read again next time.
 * @throws SwitchboardProblem, such as `consumer_leased` while another reader is at it
 */
export async function consume(
  client: Client,
  name: string,
  handler: (event: Event) => unknown,
  { signal, onLoss, leaseSeconds, takeOver = false, ...size }: ConsumeOptions = {},
): Promise<void> {
  const retrying = retryingFrom(signal);
  const path = { name };
  let lease: string | undefined;
  let isFirst = true;
  let thrown: { error: unknown } | undefined;
  const isEnded = () => signal?.aborted === true;
  const handled = async (event: Event) => {
    try {
      await handler(event);
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  const commit = (position: string) => {
    const body = { lease: lease!, position };
    return retrying(() => client.request('POST', '/api/v1/consumers/{name}/commit', { path, body }));
  };
  try {
    while (!isEnded())
      try {
        const body = { ...size, lease, lease_s: leaseSeconds, wait: WAIT_S, take_over: isFirst && takeOver };
        const page = await retrying(() =>
          client.request('POST', '/api/v1/consumers/{name}/read', { path, body, signal }),
        );
        isFirst = false;
        lease = page.lease;
        if (page.data.length > 0) await handle(page.data, handled, { signal, commit });
      } catch (error) {
        if (thrown !== undefined) throw thrown.error;
        if (isEnded()) return;
        // Unless another reader has it, it is taken again.
        if (error instanceof SwitchboardProblem && error.code === 'lease_lost') lease = undefined;
        else {
          const position = behindLoss(error, onLoss);
          lease = undefined;
          await client.request('POST', '/api/v1/consumers/{name}/reset', { path, body: { position } });
        }
      }
  } finally {
    // Otherwise the next reader would have to wait for its end.
    if (lease !== undefined)
      await client
        .request('POST', '/api/v1/consumers/{name}/release', { path, body: { lease } })
        .catch(() => undefined);
  }
}

/** Commits what is done at the end, also if the handler throws or the signal comes, and from time to time. */
async function handle(
  events: readonly Event[],
  handler: (event: Event) => unknown,
  { signal, commit }: { signal: AbortSignal | undefined; commit: (position: string) => Promise<unknown> },
): Promise<void> {
  let done: string | undefined;
  let committedAt = Date.now();
  try {
    for (const event of events) {
      if (signal?.aborted) break;
      await handler(event);
      done = event.id;
      if (Date.now() - committedAt < COMMIT_AFTER_MS) continue;
      await commit(done);
      done = undefined;
      committedAt = Date.now();
    }
  } finally {
    if (done !== undefined) await commit(done);
  }
}

/** Repeats a request while the hub is away or busy, once it has answered a first time. */
function retryingFrom(signal: AbortSignal | undefined) {
  let hasAnswered = false;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS))
      try {
        const result = await work();
        hasAnswered = true;
        return result;
      } catch (error) {
        const isProblem = error instanceof SwitchboardProblem;
        const isBrief = !isProblem || error.status === 429 || error.status >= 502;
        if (!hasAnswered || !isBrief || signal?.aborted) throw error;
        const pauseMs = Math.max(delayMs, isProblem ? error.retryAfterMs : 0);
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', end);
            resolve();
          };
          const timer = setTimeout(end, pauseMs);
          signal?.addEventListener('abort', end);
        });
      }
  };
}

/** The position behind events that were removed. @throws the error itself unless such a loss is accepted */
function behindLoss(error: unknown, onLoss: ReadOptions['onLoss']): string {
  const { missed, oldest_cursor: position } = (error instanceof SwitchboardProblem && error.problem) || {};
  if (onLoss === undefined || missed === undefined || position === undefined) throw error;
  onLoss(missed);
  return position;
}
