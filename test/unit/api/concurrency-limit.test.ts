import { ConcurrencyLimit } from '../../../src/relay/api/concurrency-limit';
import type { RelayError } from '../../../src/relay/ground/relay-error';

const WAIT_MS = 10_000;
const staying = new AbortController().signal;

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'let in',
    (error: RelayError) => error.code,
  );

describe('the places of those who read', () => {
  let places: ConcurrencyLimit;

  beforeEach(() => {
    jest.useFakeTimers();
    places = new ConcurrencyLimit({ atOnce: 2, waiting: 3, waitMs: WAIT_MS });
  });
  afterEach(() => jest.useRealTimers());

  /** Who has been let in so far, in order. */
  function askFor(names: string[]) {
    const entered: string[] = [];
    const leave = new Map<string, () => void>();
    const enter = async (name: string) => {
      const giveBack = await places.take('one', staying);
      entered.push(name);
      leave.set(name, giveBack);
    };
    return { entered, leave, asked: names.map(enter) };
  }

  it('go to so many of one caller at once; the others follow in order', async () => {
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

  it('are refused to whoever comes when too many wait, and to nobody else', async () => {
    const { asked } = askFor(['a', 'b', 'c', 'd', 'e']);
    await Promise.all(asked.slice(0, 2));
    await expect(places.take('one', staying)).rejects.toMatchObject({
      code: 'too_many_reads',
      status: 429,
      retryAfterSeconds: 1,
    });
    expect(await codeOf(places.take('another', staying))).toBe('let in');
  });

  it('are not waited for longer than 10 s', async () => {
    const { asked } = askFor(['a', 'b', 'c']);
    const third = codeOf(asked[2]!);
    jest.advanceTimersByTime(WAIT_MS);
    expect(await third).toBe('too_many_reads');
  });

  it('pass by those who went away, and are free again once all are through', async () => {
    const { asked, leave } = askFor(['a', 'b']);
    await Promise.all(asked);
    const gone = new AbortController();
    const abandoned = Array.from({ length: 3 }, () => codeOf(places.take('one', gone.signal)));
    gone.abort();
    expect(await Promise.all(abandoned)).toEqual(Array(3).fill('request_abandoned'));
    const { asked: waiting, entered } = askFor(['c']);
    leave.get('a')!();
    await Promise.all(waiting);
    expect(entered).toEqual(['c']);
    leave.get('b')!();
    expect(await codeOf(places.take('one', staying))).toBe('let in');
  });
});
