const asyncHooks = require('node:async_hooks');
const Module = require('node:module');
const path = require('node:path');
require('../daemon/optimize-late.cjs');

const ROOT = path.join(__dirname, '../../..') + path.sep;
const SOURCES = path.join(ROOT, 'src') + path.sep;
const BUILT = path.join(ROOT, 'dist') + path.sep;
const TESTS = path.join(ROOT, 'test') + path.sep;
const PACKAGES = path.join(ROOT, 'node_modules') + path.sep;
const CIRCUS_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** The storages that packages such as Playwright have enabled since the last file. */
const enabledStorages = new Set();
const storages = asyncHooks.AsyncLocalStorage.prototype;
const run = Reflect.get(storages, 'run');
storages.run = function runAndRemember(...args) {
  enabledStorages.add(this);
  return run.apply(this, args);
};

/** Jest's configuration of the project whose tests run. */
let project = null;
let transformer = null;
/** The paths of source maps by those of the TypeScript files. */
const sourceMaps = new Map();

/**
 * What a TypeScript file imports is resolved as the compiler does. In a project with `built`, a source file of the daemon
 * is its build.
 */
const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveImport(request, parent, ...others) {
  if (!/\.tsx?$/.test(parent?.filename ?? '')) return resolve.call(this, request, parent, ...others);
  const mapped = request.replace(/^@contract\//, `${SOURCES}contract/`).replace(/^(\.{1,2}\/.*)\.js$/, '$1');
  const file = resolve.call(this, mapped, parent, ...others);
  return project.testEnvironmentOptions.built && file.startsWith(SOURCES)
    ? file.replace(SOURCES, BUILT).replace(/\.ts$/, '.js')
    : file;
};

function loadTypeScript(module, file) {
  const { code, sourceMapPath } = transformer.transform(file, {
    isInternalModule: false,
    supportsDynamicImport: true,
    supportsExportNamespaceFrom: true,
    supportsStaticESM: false,
    supportsTopLevelAwait: false,
  });
  if (sourceMapPath) sourceMaps.set(file, sourceMapPath);
  module._compile(code, file);
}
Module._extensions['.ts'] = loadTypeScript;
Module._extensions['.tsx'] = loadTypeScript;

/**
 * What runs now: tests and their hooks run one after the other. Jest would ask an `AsyncLocalStorage` of each file, and all of
 * them would stay enabled: one triples the cost of every promise, and those of forty files multiply it by a hundred.
 */
class CurrentRun {
  #current;

  getStore() {
    return this.#current;
  }

  async run(started, work) {
    const before = this.#current;
    this.#current = started;
    try {
      return await work();
    } finally {
      this.#current = before;
    }
  }
}

function forget(isForgotten) {
  for (const file of Object.keys(require.cache).filter(isForgotten)) delete require.cache[file];
  // They and what they refer to, such as daemons, would stay in memory as well.
  module.children.length = 0;
}

const isTest = (file) => file.startsWith(TESTS) && !file.startsWith(__dirname);
const isOwn = (file) => file.startsWith(ROOT) && !file.startsWith(PACKAGES) && !file.startsWith(__dirname);

/**
 * Jest's runtime of a test file, without a VM context: modules are loaded by Node. Those of the daemon, the dashboard and
 * packages are loaded once per worker and project, and may keep no state between two tests, as in a process that starts
 * several daemons. Those of the tests are loaded anew for each file. There is no `jest.mock`.
 */
module.exports = class PlainRuntime {
  #environment;

  constructor(config, environment, _resolver, scriptTransformer) {
    this.#environment = environment;
    transformer = scriptTransformer;
    // Another project may resolve the same imports to other files.
    if (project !== null && project.id !== config.id) forget(isOwn);
    project = config;
  }

  requireModule(file) {
    return require(file);
  }

  /** Jest's describe and test functions, with a state of their own for each test file. */
  requireInternalModule(file) {
    delete globalThis[CIRCUS_HANDLERS];
    delete require.cache[file];
    const storage = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: CurrentRun, configurable: true });
    try {
      return require(file);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', storage);
    }
  }

  setGlobalsForRuntime() {
    const { moduleMocker: mocker, fakeTimersModern: timers } = this.#environment;
    globalThis.jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      runAllTimers: () => timers.runAllTimers(),
    };
  }

  teardown() {
    forget(isTest);
    for (const storage of enabledStorages) storage.disable();
    enabledStorages.clear();
  }

  getSourceMaps() {
    return sourceMaps;
  }

  unstable_shouldLoadAsEsm() {
    return false;
  }

  enterTestCode() {}

  leaveTestCode() {}

  getAllCoverageInfoCopy() {
    return {};
  }
};
