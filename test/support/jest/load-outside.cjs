const path = require('node:path');

const ROOT = path.join(__dirname, '../../..');
const OUTSIDE = path.join(__dirname, '../outside.ts');

/**
 * Replaces a module by itself as Node loads it outside of Jest's sandbox: a source file by its build in `dist`, whose threads are
 * files of the build too; a package by the one that the build uses. Loaded once per worker, not once per test file.
 */
module.exports = {
  process(_source, file) {
    const built = path.relative(ROOT, file).replace(/^src\/(.*)\.ts$/, 'dist/$1.js');
    const code = `module.exports = require(${JSON.stringify(OUTSIDE)}).outside(${JSON.stringify(path.join(ROOT, built))});`;
    return { code };
  },
};
