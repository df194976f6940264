import { setImmediate as nextTurn } from 'node:timers/promises';
import { PollLoop } from '../../../src/relay/ground/poll-loop';

let ends: ((error?: Error) => void)[];
let errors: unknown[];
let polls: PollLoop;

class Polls extends PollLoop {
  constructor(intervalMs?: number) {
    super((error) => errors.push(error), intervalMs);
  }

  protected read(): Promise<void> {
    return new Promise((resolve, reject) =>
      ends.push((error) => (error === undefined ? resolve() : reject(error))),
    );
  }
}

const endRead = async (error?: Error) => {
  ends.shift()!(error);
  await nextTurn();
};

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  ends = [];
  errors = [];
  polls = new Polls(1_000);
});
afterEach(() => jest.useRealTimers());

it('reads from its start on, at once and at its interval', async () => {
  polls.poll();
  expect(ends).toHaveLength(0);
  polls.start();
  expect(ends).toHaveLength(1);
  await endRead();
  expect(ends).toHaveLength(0);
  jest.advanceTimersByTime(1_000);
  expect(ends).toHaveLength(1);
});

it('reads once more after a read during which something was announced', async () => {
  polls.start();
  polls.poll();
  polls.poll();
  expect(ends).toHaveLength(1);
  expect(polls.isIdle).toBe(false);
  await endRead();
  expect(ends).toHaveLength(1);
  await endRead();
  expect(ends).toHaveLength(0);
  expect(polls.isIdle).toBe(true);
});

it('reports a failed read, which the next poll repeats', async () => {
  polls.start();
  await endRead(new Error('failed'));
  expect(errors).toEqual([new Error('failed')]);
  polls.poll();
  expect(ends).toHaveLength(1);
});

it('waits until what was announced has been read, or could not be', async () => {
  await polls.pollNow();
  polls.start();
  let reads = 0;
  const read = polls.pollNow().then(() => (reads += 1));
  await endRead();
  expect(reads).toBe(0);
  await endRead(new Error('failed'));
  await read;
  await polls.stop();
  await polls.pollNow();
  expect(ends).toHaveLength(0);
});

it('stops once the read in progress has ended', async () => {
  polls.start();
  polls.poll();
  let hasStopped = false;
  const stopped = polls.stop().then(() => (hasStopped = true));
  await nextTurn();
  expect(hasStopped).toBe(false);
  await endRead();
  await stopped;
  polls.poll();
  jest.advanceTimersByTime(1_000);
  expect(ends).toHaveLength(0);
});
