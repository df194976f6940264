/** What `npm run screens` runs on the built daemon: pictures of every screen, into the folder `PICTURES`. */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/test/screens/**/*.test.ts'],
  maxWorkers: 1,
};
