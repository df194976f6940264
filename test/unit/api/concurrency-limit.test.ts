import { ConcurrencyLimit } from '../../../src/relay/api/concurrency-limit';
import type { RelayError } from '../../../src/relay/ground/relay-error';

const WAIT_MS = 10_000;
const staying = new AbortController().signal;

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'granted',
    (error: RelayError) => error.code,
  );

describe('the slots of readers', () => {
  let limit: ConcurrencyLimit;

  beforeEach(() => {
    jest.useFakeTimers();
    limit = new ConcurrencyLimit({ maxRunning: 2, maxQueued: 3, maxWaitMs: WAIT_MS });
  });
  afterEach(() => jest.useRealTimers());

  /** The callers that have got a slot so far, in order. */
  function askFor(names: string[]) {
    const entered: string[] = [];
    const leave = new Map<string, () => void>();
    const enter = async (name: string) => {
      const release = await limit.take('one', staying);
      entered.push(name);
      leave.set(name, release);
    };
    return { entered, leave, asked: names.map(enter) };
  }

  it('are limited for each caller; further requests follow in order', async () => {
    const { entered, leave, asked } = askFor(['a', 'b', 'c', 'd']);
    await Promise.all(asked.slice(0, 2));
    expect(entered).toEqual(['a', 'b']);
    leave.get('b')!();
    await asked[2];
    expect(entered).toEqual(['a', 'b', 'c']);
    leave.get('a')!();
    await asked[3];
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are denied to a caller with too many queued requests, and to no other caller', async () => {
    const { asked } = askFor(['a', 'b', 'c', 'd', 'e']);
    await Promise.all(asked.slice(0, 2));
    await expect(limit.take('one', staying)).rejects.toMatchObject({
      code: 'too_many_reads',
      status: 429,
      retryAfterSeconds: 1,
    });
    expect(await codeOf(limit.take('another', staying))).toBe('granted');
  });

  it('are waited for at most 10 s', async () => {
    const { asked } = askFor(['a', 'b', 'c']);
    const third = codeOf(asked[2]!);
    jest.advanceTimersByTime(WAIT_MS);
    expect(await third).toBe('too_many_reads');
  });

  it('skip callers that have disconnected, and are free again once all have finished', async () => {
    const { asked, leave } = askFor(['a', 'b']);
    await Promise.all(asked);
    const disconnected = new AbortController();
    const abandoned = Array.from({ length: 3 }, () => codeOf(limit.take('one', disconnected.signal)));
    disconnected.abort();
    expect(await Promise.all(abandoned)).toEqual(Array(3).fill('request_abandoned'));
    const { asked: waiting, entered } = askFor(['c']);
    leave.get('a')!();
    await Promise.all(waiting);
    expect(entered).toEqual(['c']);
    leave.get('b')!();
    expect(await codeOf(limit.take('one', staying))).toBe('granted');
  });
});
