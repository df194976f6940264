import { runSeeds } from '../../support/core-model/run-seed';
import { SqliteDisk } from '../../support/core-model/sqlite-disk';

const SEEDS = 200;

describe('journal, queue, lanes, circuit breakers, retention and replays, with failing commits and crashes', () => {
  it('do what a simple model says, whatever is done in whatever order', async () => {
    const disk = await SqliteDisk.create();
    try {
      await runSeeds(1, SEEDS, disk);
    } finally {
      await disk.remove();
    }
  }, 600_000);
});
