const { availableParallelism } = require('node:os');

const fromSource = {
  '^.+\\.tsx?$': '@swc/jest',
  'node_modules/.+\\.m?js$': '<rootDir>/test/support/jest/transform-esm.cjs',
};

const outside = '<rootDir>/test/support/jest/load-outside.cjs';

/** The daemon as it is built, and the packages whose classes a test shares with it or that take long to load. */
const fromBuild = {
  [`^${__dirname}/src/(cli|contract|relay|sandbox)/.+\\.ts$`]: outside,
  '/node_modules/(@nestjs/(common|core)|playwright-core|zod)/index\\.c?js$': outside,
  '/node_modules/(@axe-core/playwright/dist|pino|socket\\.io-client/build/cjs)/[^/]+\\.js$': outside,
  // Transforms apply in this order.
  ...fromSource,
};

const project = (displayName, folders, transform, others = {}) => ({
  displayName,
  testMatch: [`<rootDir>/test/${folders}/**/*.test.ts`],
  roots: ['<rootDir>/src', '<rootDir>/ui/src', '<rootDir>/test'],
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/support/jest/measured-runner.cjs',
  transform,
  transformIgnorePatterns: [],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', '^@contract/(.*)$': '<rootDir>/src/contract/$1' },
  ...others,
});

const setup = (name) => ({ globalSetup: `<rootDir>/test/support/jest/${name}.ts` });
const withPostgres = (name) => ({
  ...setup(name),
  globalTeardown: '<rootDir>/test/support/jest/end-postgres.ts',
});

module.exports = {
  projects: [
    project('unit', 'unit', fromSource, setup('store-in-memory')),
    project('daemon', '{component,sandbox,system,browser}', fromBuild, withPostgres('prepare-daemons')),
    // Minutes of kills and failing disks, on a disk.
    project('faults', 'faults', fromBuild, withPostgres('offer-postgres')),
    // Pictures of every screen, into the folder `PICTURES`.
    project('screens', 'screens', fromBuild),
    // Writes the databases of this version, from which later versions upgrade.
    project('fixtures', 'fixtures', fromBuild, withPostgres('prepare-daemons')),
  ],
  globalSetup: '<rootDir>/test/support/jest/unpack-chromium.mjs',
  reporters: ['default', '<rootDir>/test/support/jest/cpu-ledger.cjs'],
  coverageProvider: 'v8',
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/support/jest/longest-first.cjs',
  // Most of the time a test waits for a disk, a timer or a process of its own: others use it.
  maxWorkers: 3 * availableParallelism(),
  // Each test file loads its modules anew, and V8 collects the old ones late. A share of the machine's memory.
  workerIdleMemoryLimit: 0.08,
};
