const { join, relative } = require('node:path');

const ROOT = join(__dirname, '../../..');
const OUTSIDE = join(__dirname, '../outside.ts');

/**
 * Replaces a module by itself as Node loads it outside of Jest's sandbox: a source file by its build in `dist`, whose threads are
 * files of the build too; a package by the one that the build uses. Loaded once per worker, not once per test file.
 */
module.exports = {
  process(_source, file) {
    const built = relative(ROOT, file).replace(/^src\/(.*)\.ts$/, 'dist/$1.js');
    const code = `module.exports = require(${JSON.stringify(OUTSIDE)}).outside(${JSON.stringify(join(ROOT, built))});`;
    return { code };
  },
};
