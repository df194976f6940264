// Loaded into a daemon with --require: writes to the file LOOP_PROBE how long its event loop stood still, one line of
// `{ at, stallMs, cpuMs, queuedMs }` each: what the loop's own thread worked in that time, and how long it waited for a core,
// which on a machine that is busy with other things is most of it. At SIGUSR2 it collects the garbage and writes `{ heapBytes, rssBytes }`; all
// stalls before that are written by then.
const { openSync, readFileSync, writeSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const EVERY_MS = 10;
const TOLD_FROM_MS = 20;

if (isMainThread && process.env.LOOP_PROBE) {
  const file = openSync(process.env.LOOP_PROBE, 'a');
  const write = (line) => writeSync(file, `${JSON.stringify(line)}\n`);
  let last = now();

  const tick = () => {
    const next = now();
    const stallMs = next.at - last.at - EVERY_MS;
    if (stallMs >= TOLD_FROM_MS)
      write({
        at: Date.now(),
        stallMs,
        cpuMs: next.worked - last.worked,
        queuedMs: next.queued - last.queued,
      });
    last = next;
  };
  setInterval(tick, EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    tick();
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const { heapUsed, rss } = process.memoryUsage();
    write({ heapBytes: heapUsed, rssBytes: rss });
    last = now();
  });
}

function now() {
  const [worked, queued] = scheduled();
  return { at: performance.now(), worked, queued };
}

/** How long this thread had a core, and waited for one, in ms. Where nobody tells: what all threads worked. */
function scheduled() {
  try {
    const [worked, queued] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
    return [worked / 1e6, queued / 1e6];
  } catch {
    const { user, system } = process.cpuUsage();
    return [(user + system) / 1_000, 0];
  }
}
