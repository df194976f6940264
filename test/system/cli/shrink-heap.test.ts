import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

it('an idle daemon returns the memory of its young generation that its start has needed', () => {
  const program = `
    const { shrinkHeapOnceIdle } = require(${JSON.stringify(resolve(__dirname, '../../../dist/cli/shrink-heap.js'))});
    const size = () =>
      require('node:v8').getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
    const initial = size();
    const objects = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
    const grown = size();
    shrinkHeapOnceIdle();
    let polls = 0;
    setInterval(() => {
      polls += 1;
      if (size() >= grown / 4 && polls < 400) return;
      console.log(JSON.stringify({ grew: grown >= initial * 4, shrank: size() < grown / 4, kept: objects.length }));
      process.exit();
    }, 200);`;
  const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual({ grew: true, shrank: true, kept: 1_000_000 });
});

const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };

// Other C libraries have no such function.
if (header.glibcVersionRuntime !== undefined)
  it('free memory between what is in use is returned', () => {
    const program = `
    const { trimMalloc } = require(${JSON.stringify(resolve(__dirname, '../../../dist/cli/trim-malloc.js'))});
    const buffers = Array.from({ length: 8_000 }, () => Buffer.allocUnsafeSlow(16_384).fill(1));
    const kept = buffers.filter((_, i) => i % 16 === 0);
    buffers.length = 0;
    const full = process.memoryUsage.rss();
    const isFreed = () => full - process.memoryUsage.rss() >= 80 * 2 ** 20;
    (async () => {
      // V8 frees the buffers on other threads, after the collection.
      for (let attempts = 0; attempts < 1_000 && !isFreed(); attempts += 1) {
        gc();
        await trimMalloc();
      }
      console.log(JSON.stringify({ freed: isFreed(), kept: kept.length }));
    })();`;
    const { stdout } = spawnSync(process.execPath, ['--expose-gc', '-e', program], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({ freed: true, kept: 500 });
  });
