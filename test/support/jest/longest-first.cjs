/**
 * Without recorded durations, as in a new clone, Jest sorts by file size. Here the longest files come first, alternating with
 * the others: they mostly wait for pages and timers, and leave the processor to them.
 */
const { createRequire } = require('node:module');

const TestSequencer = createRequire(require.resolve('jest'))('@jest/test-sequencer').default;

const LONG =
  /\/test\/(browser\/|system\/(subscription\/copilot-(faults|quirks)|database\/durability\.)|component\/subscription\/reconciliation)/;

module.exports = class extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const others = sorted.filter(({ path }) => !LONG.test(path));
    const mixed = sorted
      .filter(({ path }) => LONG.test(path))
      .flatMap((long) => [long, ...others.splice(0, 2)]);
    return [...mixed, ...others];
  }
};
