// Loaded into a daemon with --require: appends each stall of its event loop to the file STALL_LOG, as a line of JSON
// `{ at, stallMs, cpuMs, queuedMs }`: the CPU time of the main thread during the stall, and the time that it waited for a
// core, which is most of it on a busy machine. On SIGUSR2 it collects garbage and appends `{ heapBytes, rssBytes }`, after
// all stalls before the signal.
const { openSync, readFileSync, writeSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const TICK_MS = 10;
const MIN_STALL_MS = 20;

if (isMainThread && process.env.STALL_LOG) {
  const file = openSync(process.env.STALL_LOG, 'a');
  const write = (line) => writeSync(file, `${JSON.stringify(line)}\n`);
  let last = readTimes();

  const tick = () => {
    const next = readTimes();
    const stallMs = next.at - last.at - TICK_MS;
    if (stallMs >= MIN_STALL_MS)
      write({
        at: Date.now(),
        stallMs,
        cpuMs: next.cpuMs - last.cpuMs,
        queuedMs: next.queuedMs - last.queuedMs,
      });
    last = next;
  };
  setInterval(tick, TICK_MS).unref();
  process.on('SIGUSR2', () => {
    tick();
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const { heapUsed, rss } = process.memoryUsage();
    write({ heapBytes: heapUsed, rssBytes: rss });
    last = readTimes();
  });
}

function readTimes() {
  const [cpuMs, queuedMs] = readSchedulerTimes();
  return { at: performance.now(), cpuMs, queuedMs };
}

/**
 * The CPU time of this thread so far, and its time waiting for a core, in ms. Without schedstat, the CPU time of all threads.
 */
function readSchedulerTimes() {
  try {
    const [cpuNs, queuedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
    return [cpuNs / 1e6, queuedNs / 1e6];
  } catch {
    const { user, system } = process.cpuUsage();
    return [(user + system) / 1_000, 0];
  }
}
