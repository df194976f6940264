const path = require('node:path');

const ROOT = path.join(__dirname, '../../..');
const OUTSIDE = path.join(__dirname, '../outside.ts');

/**
 * Loads a module outside of Jest's sandbox, once per worker instead of once per test file: a source file from its build in
 * `dist`, because its threads are files of the build, and a package as the build uses it.
 */
module.exports = {
  process(_source, file) {
    const built = path.relative(ROOT, file).replace(/^src\/(.*)\.ts$/, 'dist/$1.js');
    const code = `module.exports = require(${JSON.stringify(OUTSIDE)}).outside(${JSON.stringify(path.join(ROOT, built))});`;
    return { code };
  },
};
