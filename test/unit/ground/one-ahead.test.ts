import { oneAhead } from '../../../src/relay/ground/one-ahead';

/** Numbers from 1 to `count`, then an error; `made` has those that were made, `ended` whether it was ended. */
function numbers(count: number) {
  const state = { made: [] as number[], ended: false };
  async function* make() {
    try {
      for (let n = 1; n <= count; n += 1) {
        state.made.push(n);
        yield n;
      }
      throw new Error('too many');
    } finally {
      state.ended = true;
    }
  }
  return { state, items: oneAhead(make()) };
}

it('makes the next item while one is worked on, and no more', async () => {
  const { state, items } = numbers(9);
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await new Promise(setImmediate);
  expect(state.made).toEqual([1, 2]);
  expect(await items.next()).toEqual({ done: false, value: 2 });
});

it('rejects in the place of the item that could not be made', async () => {
  const { items } = numbers(1);
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await expect(items.next()).rejects.toThrow('too many');
});

it('ends what it takes from when no more is wanted', async () => {
  const { state, items } = numbers(1);
  for await (const item of items) {
    expect(item).toBe(1);
    break;
  }
  expect(state.ended).toBe(true);
});
