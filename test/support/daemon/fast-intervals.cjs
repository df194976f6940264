// Shortens all intervals of the daemon that requires this file, so that what it does each minute begins soon.
const { isMainThread } = require('node:worker_threads');

const MAX_MS = 500;
const { setInterval } = globalThis;
if (isMainThread)
  globalThis.setInterval = (work, ms = 0, ...rest) => setInterval(work, Math.min(ms, MAX_MS), ...rest);
