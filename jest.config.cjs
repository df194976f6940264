const { availableParallelism } = require('node:os');

/** What `npm test` runs. The long fault runs have a configuration of their own, `jest.faults.config.cjs`. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/{unit,component,sandbox,system,browser}/**/*.test.ts'],
  transform: {
    '^.+\\.tsx?$': '@swc/jest',
    'node_modules/.+\\.m?js$': '<rootDir>/test/support/jest/transform-esm.cjs',
  },
  transformIgnorePatterns: [],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/jest/unpack-chromium.mjs',
  coverageProvider: 'v8',
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/support/jest/longest-first.cjs',
  // Most of the time a test waits for a disk, a timer or a process of its own: others use it.
  maxWorkers: 3 * availableParallelism(),
  // Each test file loads its modules anew, and a worker never quite gives them back.
  workerIdleMemoryLimit: '1GB',
};
