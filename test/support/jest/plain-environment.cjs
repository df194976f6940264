const { createRequire } = require('node:module');

const fromJest = createRequire(createRequire(require.resolve('jest')).resolve('jest-runner'));
const { ModuleMocker } = fromJest('jest-mock');
const { ModernFakeTimers } = fromJest('@jest/fake-timers');

/** Name of the global property, one for each test file, that has the describe and test functions' state. */
const CIRCUS_STATE = 'JEST_STATE_SYMBOL';

/** Jest replaces it for each test file. */
const exit = process.exit.bind(process);

/**
 * Jest's environment of a test file, without a VM context: the file runs where Node's own modules do. At its end, what it
 * may have changed there is restored.
 */
module.exports = class PlainEnvironment {
  global = globalThis;
  fakeTimers = null;
  #console = console;
  #env = { ...process.env };
  #folder = process.cwd();

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.#console;
    process.exit = exit;
    process.chdir(this.#folder);
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (key.description === CIRCUS_STATE) delete globalThis[key];
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest 27 and later require it. */
  getVmContext() {
    return null;
  }
};
