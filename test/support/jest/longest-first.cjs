/**
 * A fresh clone knows no durations yet, and Jest would go by the size of the files. What takes half a minute comes first, and takes
 * turns with the others: it waits for pages and timers, and leaves them the processor.
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
