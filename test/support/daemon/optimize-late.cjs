const Module = require('node:module');
const { setFlagsFromString } = require('node:v8');
const { isMainThread } = require('node:worker_threads');

/** Bytes of executed bytecode, 22 times V8's own number. */
const BUDGET = 1_500_000;

/**
 * Most processes of a test run end before code that V8 optimizes has saved what that took: optimized later, tests need four
 * fifths of the processor time, and a start of the daemon six sevenths. Only V8 of Node 20 knows this flag.
 */
if (isMainThread && Module.enableCompileCache === undefined)
  setFlagsFromString(`--interrupt-budget=${BUDGET}`);
