const { availableParallelism } = require('node:os');

// Of the workers: a test makes many objects that die with it, and each collection copies those that live. MiB.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`.trim();

const project = (displayName, folders, others = {}) => ({
  displayName,
  testMatch: [`<rootDir>/test/${folders}/**/*.test.ts`],
  roots: ['<rootDir>/src', '<rootDir>/ui/src', '<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/jest/plain-environment.cjs',
  // Threads of the daemon are files of the build, so what runs them is loaded from there as well.
  testEnvironmentOptions: { built: displayName !== 'unit' },
  runtime: '<rootDir>/test/support/jest/plain-runtime.cjs',
  testRunner: '<rootDir>/test/support/jest/measured-runner.cjs',
  transform: { '^.+\\.tsx?$': '@swc/jest' },
  ...others,
});

const setup = (name) => ({ globalSetup: `<rootDir>/test/support/jest/${name}.ts` });
const withPostgres = (name) => ({
  ...setup(name),
  globalTeardown: '<rootDir>/test/support/jest/end-postgres.ts',
});

module.exports = {
  projects: [
    project('unit', 'unit', setup('store-in-memory')),
    project('daemon', '{component,sandbox,system,browser}', withPostgres('prepare-daemons')),
    // Minutes of kills and failing disks, on a disk.
    project('faults', 'faults', withPostgres('offer-postgres')),
    // Pictures of every screen, into the folder `PICTURES`.
    project('screens', 'screens'),
    // Writes the databases of this version, from which later versions upgrade.
    project('fixtures', 'fixtures', withPostgres('prepare-daemons')),
  ],
  globalSetup: '<rootDir>/test/support/jest/unpack-chromium.mjs',
  reporters: ['default', '<rootDir>/test/support/jest/cpu-ledger.cjs'],
  coverageProvider: 'v8',
  // The time of a hang, not of a slow machine.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/test/support/jest/longest-first.cjs',
  // Tests wait for disks, timers and processes of their own. Three for each core only made each other late.
  maxWorkers: 2 * availableParallelism(),
  // V8 collects what test files leave behind late. A share of the machine's memory.
  workerIdleMemoryLimit: 0.08,
};
