import { runSteps } from '../../../src/relay/ground/run-steps';

const setup = ({ retryAfterMs }: { retryAfterMs: number }) => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  return { stopping, errors, options: { retryAfterMs, signal: stopping.signal, onError } };
};

it('repeats the step until it returns false, also after an error', async () => {
  const { errors, options } = setup({ retryAfterMs: 1 });
  const outcomes = [true, new Error('disk full'), true, false];
  await runSteps(async () => {
    const outcome = outcomes.shift()!;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }, options);
  expect(outcomes).toEqual([]);
  expect(errors).toEqual([new Error('disk full')]);
});

it('runs no further step once the signal is aborted', async () => {
  const { stopping, options } = setup({ retryAfterMs: 1 });
  let steps = 0;
  await runSteps(async () => {
    steps += 1;
    stopping.abort();
    return true;
  }, options);
  expect(steps).toBe(1);
});

it('ends the wait for a retry when the signal is aborted', async () => {
  const { stopping, errors, options } = setup({ retryAfterMs: 600_000 });
  const stopped = runSteps(() => Promise.reject(new Error('disk full')), options);
  setImmediate(() => stopping.abort());
  await stopped;
  expect(errors).toHaveLength(1);
});
