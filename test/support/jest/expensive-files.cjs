/** What a test file may take of the processor in its worker, in seconds of an otherwise idle machine. */
exports.USUAL_SECONDS = 3;

/** Files that may take more: each a quarter more than it took when it was measured last. */
exports.EXPENSIVE = {
  'test/browser/every-screen.test.ts': 7,
  'test/component/database/lanes.test.ts': 4,
  'test/system/backups/every-row.test.ts': 5,
  'test/system/cli/replay.test.ts': 8,
  'test/system/connection/states.test.ts': 5,
  'test/system/daemons/takeover.test.ts': 6,
  'test/system/daemons/three-daemons.test.ts': 5,
  'test/system/deliveries/circuit-breaker.test.ts': 5,
  'test/system/events/change-filters.test.ts': 5,
  'test/system/events/search.test.ts': 7,
  'test/system/live/live.test.ts': 4,
  'test/system/subscription/copilot-faults.test.ts': 12,
  'test/system/subscription/copilot-quirks.test.ts': 5,
  'test/system/subscription/rotation.test.ts': 6,
  'test/system/system-events/clock-behind.test.ts': 5,
  'test/unit/fuzz.test.ts': 4,
};
