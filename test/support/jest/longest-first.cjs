/**
 * Without recorded durations, as in a new clone, Jest sorts by file size. Here the longest files come first, alternating with
 * the others: they mostly wait for pages and timers, and leave the processor to them. Unit tests come last: they are short,
 * and a worker loads modules anew when it changes to another project.
 */
const { createRequire } = require('node:module');

const TestSequencer = createRequire(require.resolve('jest'))('@jest/test-sequencer').default;

const LONG =
  /\/test\/(browser\/|system\/(subscription\/copilot-(faults|quirks)|database\/durability\.)|component\/subscription\/reconciliation)/;

const UNIT = /\/test\/unit\//;

module.exports = class extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const units = sorted.filter(({ path }) => UNIT.test(path));
    const others = sorted.filter(({ path }) => !LONG.test(path) && !UNIT.test(path));
    const mixed = sorted
      .filter(({ path }) => LONG.test(path))
      .flatMap((long) => [long, ...others.splice(0, 2)]);
    return [...mixed, ...others, ...units];
  }
};
