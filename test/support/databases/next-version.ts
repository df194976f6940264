import { join, resolve } from 'node:path';

const DIST = resolve(__dirname, '../../../dist');

/**
 * A module to preload that turns the program into a version with one more migration. Runs the program as single files instead
 * of its bundle, in which the list of migrations cannot be changed from outside.
 * @param then JavaScript that the migration runs in its end
 */
export const nextVersion = (then = '') => `
  const main = ${JSON.stringify(join(DIST, 'main.js'))};
  const { MIGRATIONS } = require(${JSON.stringify(join(DIST, 'relay/database/migrations/migrations.js'))});
  if (!MIGRATIONS.some(({ name }) => name.startsWith('Colours'))) MIGRATIONS.push(class Colours0000009999999 {
    name = 'Colours0000009999999';
    async up(runner) {
      await runner.query("ALTER TABLE targets ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'");
      ${then}
    }
  });
  if (require('node:worker_threads').isMainThread && process.argv[1] === main) {
    const Module = require('node:module');
    require.cache[main] = Object.assign(new Module(main), { loaded: true });
    require(${JSON.stringify(join(DIST, 'cli/run.js'))}).run(process.argv.slice(2)).then((code) => code !== null && process.exit(code));
  }`;
