import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const SHRINK_HEAP = JSON.stringify(resolve(__dirname, '../../../dist/cli/shrink-heap.js'));

function run(program: string, ...flags: string[]): unknown {
  const { stdout } = spawnSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

it('an idle daemon returns the memory of its young generation that its start has needed', () => {
  const program = `
    const { shrinkHeapWhenIdle } = require(${SHRINK_HEAP});
    const size = () =>
      require('node:v8').getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
    const initial = size();
    const objects = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
    const grown = size();
    shrinkHeapWhenIdle();
    let polls = 0;
    setInterval(() => {
      polls += 1;
      if (size() >= grown / 4 && polls < 400) return;
      console.log(JSON.stringify({ grew: grown >= initial * 4, shrank: size() < grown / 4, kept: objects.length }));
      process.exit();
    }, 200);`;
  expect(run(program)).toEqual({ grew: true, shrank: true, kept: 1_000_000 });
});

const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };

// Other C libraries have no such function.
if (header.glibcVersionRuntime !== undefined) {
  // Every sixteenth is kept, so that what is free lies between.
  const FRAGMENTED = `
    const buffers = Array.from({ length: 8_000 }, () => Buffer.allocUnsafeSlow(16_384).fill(1));
    const kept = buffers.filter((_, i) => i % 16 === 0);
    buffers.length = 0;
    const full = process.memoryUsage.rss();
    const isFreed = () => full - process.memoryUsage.rss() >= 80 * 2 ** 20;`;

  it('free memory between what is in use is returned', () => {
    const program = `
    const { trimMalloc } = require(${JSON.stringify(resolve(__dirname, '../../../dist/cli/trim-malloc.js'))});
    ${FRAGMENTED}
    (async () => {
      // V8 frees the buffers on other threads, after the collection.
      for (let attempts = 0; attempts < 1_000 && !isFreed(); attempts += 1) {
        gc();
        await trimMalloc();
      }
      console.log(JSON.stringify({ freed: isFreed(), kept: kept.length }));
    })();`;
    expect(run(program, '--expose-gc')).toEqual({ freed: true, kept: 500 });
  });

  it('an idle daemon returns what it has needed since it returned the memory of its start', () => {
    const program = `
    const start = setInterval;
    // Ten seconds between its checks become half a second.
    globalThis.setInterval = (callback, ms) => start(callback, ms / 20);
    require(${SHRINK_HEAP}).shrinkHeapWhenIdle();
    globalThis.setInterval = start;
    // By then it has collected the garbage of its start three times.
    setTimeout(() => {
      ${FRAGMENTED}
      const before = process.cpuUsage();
      while (process.cpuUsage(before).user < 1_000_000);
      let polls = 0;
      setInterval(() => {
        gc();
        polls += 1;
        if (!isFreed() && polls < 400) return;
        console.log(JSON.stringify({ freed: isFreed(), kept: kept.length }));
        process.exit();
      }, 200);
    }, 4_000);`;
    expect(run(program, '--expose-gc')).toEqual({ freed: true, kept: 500 });
  });
}
