const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');
// First, because code is cached for the same flags of V8.
require('./optimize-late.cjs');

const BUNDLE = path.join(__dirname, '../../../dist/bundle') + path.sep;
/** A build deletes it. */
const FOLDER = path.join(BUNDLE, '../cache');

/** It imports modules dynamically, for which cached code would print a warning. */
const NOT_CACHED = /open-telemetry-tracer/;

const read = (file) => {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
};

/** Other processes may read and write the same files. */
function write(scripts) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [file, script] of scripts) {
    const own = `${file}.${process.pid}`;
    writeFileSync(own, script.createCachedData());
    renameSync(own, file);
  }
}

/**
 * Preloaded by processes of the build: those of Node 20, which lacks `module.enableCompileCache`, would spend a quarter of
 * their start on compiling the bundle. What was compiled until the exit of the first one is used by those that follow.
 */
if (isMainThread && Module.enableCompileCache === undefined) {
  const compile = Module.prototype._compile;
  const compiled = new Map();
  process.once('exit', () => compiled.size > 0 && write(compiled));
  Module.prototype._compile = function compileCached(content, filename) {
    if (!filename.startsWith(BUNDLE) || NOT_CACHED.test(filename))
      return compile.call(this, content, filename);
    const cache = path.join(FOLDER, path.basename(filename));
    const cachedData = read(cache);
    const script = new vm.Script(Module.wrap(content.replace(/^#!.*/, '')), { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) compiled.set(cache, script);
    const require = Module.createRequire(filename);
    return script
      .runInThisContext()
      .call(this.exports, this.exports, require, this, filename, path.dirname(filename));
  };
}
