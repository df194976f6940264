/** A fresh clone knows no durations yet, and Jest would go by the size of the files. What uses a browser takes longest. */
const { createRequire } = require('node:module');

const TestSequencer = createRequire(require.resolve('jest'))('@jest/test-sequencer').default;

const usesBrowser = ({ path }) => path.includes('/test/browser/');

module.exports = class extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(usesBrowser), ...sorted.filter((test) => !usesBrowser(test))];
  }
};
