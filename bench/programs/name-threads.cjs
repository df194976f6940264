// Loaded into a daemon with --require, and so into each of its threads: appends a line to the file THREAD_LOG with the
// thread's id and the name of the script that it runs.
const { appendFileSync, readlinkSync } = require('node:fs');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

if (process.env.THREAD_LOG) {
  const id = path.basename(readlinkSync('/proc/thread-self'));
  // A worker learns its script only after what --require loads.
  process.nextTick(() => {
    const name = isMainThread ? 'main' : path.basename(process.argv[1]).replace(/(\.thread)?\.[cm]?js$/, '');
    appendFileSync(process.env.THREAD_LOG, `${id} ${name}\n`);
  });
}
