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
