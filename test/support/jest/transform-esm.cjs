/** Nest 12 is published only as ES modules, which Jest on Node 20 cannot require: converts ES modules to CommonJS. */
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { createTransformer } = require('@swc/jest');

const swc = createTransformer({ swcrc: false, module: { type: 'commonjs' }, jsc: { target: 'es2022' } });
const asIs = { process: (code) => ({ code }), getCacheKey: () => 'as-is' };
const moduleFolders = new Map();

function isModule(file) {
  if (file.endsWith('.mjs')) return true;
  const folder = path.dirname(file);
  if (!moduleFolders.has(folder)) {
    let parent = folder;
    while (!existsSync(path.join(parent, 'package.json')) && parent !== path.dirname(parent))
      parent = path.dirname(parent);
    const manifest = JSON.parse(readFileSync(path.join(parent, 'package.json'), 'utf8'));
    moduleFolders.set(folder, manifest.type === 'module');
  }
  return moduleFolders.get(folder);
}

const transformerOf = (file) => (isModule(file) ? swc : asIs);

module.exports = {
  process: (code, file, options) => transformerOf(file).process(code, file, options),
  getCacheKey: (code, file, options) =>
    isModule(file) ? swc.getCacheKey(code, file, options) : `as-is:${file}:${code.length}`,
};
