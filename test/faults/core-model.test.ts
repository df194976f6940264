import { runSeeds } from '../support/core-model/run-seed';
import { SqliteDisk } from '../support/core-model/sqlite-disk';

const FIRST_SEED = Number(process.env['FIRST_SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 20_000);

describe('journal, queue, lanes, circuit breakers, retention and replays, with failing commits and crashes', () => {
  it('do what a simple model says, whatever is done in whatever order', async () => {
    const disk = await SqliteDisk.create();
    try {
      await runSeeds(FIRST_SEED, SEEDS, disk);
    } finally {
      await disk.remove();
    }
  }, 36_000_000);
});
