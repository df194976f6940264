import { NonOverlapping } from '../../../src/relay/ground/non-overlapping';

const setup = () => {
  const state = { runs: 0, errors: [] as unknown[], isFailing: false };
  let end: (() => void) | undefined;
  const recurring = new NonOverlapping(
    () => {
      state.runs += 1;
      return new Promise<void>((resolve, reject) => {
        end = () => (state.isFailing ? reject(new Error('failed')) : resolve());
      });
    },
    (error) => state.errors.push(error),
  );
  return { state, recurring, end: () => end?.() };
};

it('starts no run while one is in progress', async () => {
  const { state, recurring, end } = setup();
  const first = recurring.run();
  await recurring.run();
  expect(state.runs).toBe(1);
  end();
  await first;
  const second = recurring.run();
  expect(state.runs).toBe(2);
  end();
  await second;
});

it('reports a failed run, and starts the next one nevertheless', async () => {
  const { state, recurring, end } = setup();
  state.isFailing = true;
  const failing = recurring.run();
  end();
  await failing;
  expect(state.errors).toEqual([new Error('failed')]);
  void recurring.run();
  expect(state.runs).toBe(2);
});

it('stops once the run in progress has ended', async () => {
  const { state, recurring, end } = setup();
  void recurring.run();
  let hasStopped = false;
  const stopped = recurring.stop().then(() => (hasStopped = true));
  expect(recurring.isStopped).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  end();
  await stopped;
  await recurring.run();
  expect(state.runs).toBe(1);
});
