import { QuickExpressions } from '../../../src/relay/transforms/quick-expressions';

const took = (tookMs: number) => ({ body: '', tookMs });

let quick: QuickExpressions;

beforeEach(() => {
  quick = new QuickExpressions();
});

it.each([
  ['is quick', took(100), true],
  ['takes longer', took(101), false],
  ['fails', { failure: { code: 'no_result', position: null, message: '' } }, false],
])('an expression that %s the last time', (_, outcome, isQuick) => {
  for (const before of [took(1), took(200)]) {
    quick.note('a', before);
    quick.note('a', outcome);
    expect([quick.has('a'), quick.has('b')]).toEqual([isQuick, false]);
  }
});

it('the 500 that were evaluated last are known', () => {
  for (let n = 1; n <= 500; n += 1) quick.note(`${n}`, took(1));
  quick.note('1', took(1));
  quick.note('501', took(1));
  expect(['1', '2', '3', '501'].map((text) => quick.has(text))).toEqual([true, false, true, true]);
});
