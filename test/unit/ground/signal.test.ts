import { Signal } from '../../../src/relay/ground/signal';

it('passes the values to each listener, in the order in which they subscribed', () => {
  const calls: unknown[] = [];
  const signal = new Signal<[name: string, size: number]>();
  signal.emit('before', 0);
  signal.subscribe((...values) => calls.push(['first', ...values]));
  signal.subscribe((...values) => calls.push(['second', ...values]));
  signal.emit('a', 1);
  expect(calls).toEqual([
    ['first', 'a', 1],
    ['second', 'a', 1],
  ]);
});
