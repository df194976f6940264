const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');

const runTests = createRequire(require.resolve('jest'))('jest-circus/runner').default;

/** `sysconf(_SC_CLK_TCK)`, the unit of the times in `/proc`, is 100 on every platform that Linux supports today. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of the processes that this one started, and of theirs, once they have ended; 0 without `/proc`. */
function childrenSeconds() {
  try {
    // proc(5): fields 16 and 17, `cutime` and `cstime`. The second field, a name, may contain spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Jest's own test runner, with the CPU seconds of one test file in its result, for `cpu-ledger.cjs`. */
module.exports = function runMeasured(...args) {
  const before = process.cpuUsage();
  const childrenBefore = childrenSeconds();
  // Without `await`, which would add a line to the stack of each failure.
  return runTests(...args).then((result) => {
    const { user, system } = process.cpuUsage(before);
    result.perfStats = {
      ...result.perfStats,
      workerSeconds: (user + system) / 1_000_000,
      childrenSeconds: childrenSeconds() - childrenBefore,
    };
    return result;
  });
};
