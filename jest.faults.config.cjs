/** What `npm run test:faults` runs on the built daemon: minutes of kills and failing disks, one file at a time. */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 600_000,
};
