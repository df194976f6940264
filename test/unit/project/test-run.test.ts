import { AsyncResource } from 'node:async_hooks';

describe('the run of the tests', () => {
  it('keeps no storage in each promise, which would multiply what promises cost', () => {
    const symbols = Object.getOwnPropertySymbols(new AsyncResource('test'));
    expect(symbols.filter(({ description }) => description === 'kResourceStore')).toEqual([]);
  });
});
