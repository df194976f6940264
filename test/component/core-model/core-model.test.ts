import type { Disk } from '../../support/core-model/disk';
import { PostgresDisk } from '../../support/core-model/postgres-disk';
import { runSeeds } from '../../support/core-model/run-seed';
import { SqliteDisk } from '../../support/core-model/sqlite-disk';
import { TestPostgres } from '../../support/postgres';

/** It stored that a target has no breaker, and was killed before it ended what was open. */
const ONCE_FAILED = 60_159;

async function hold(disk: Disk, seeds: number): Promise<void> {
  try {
    await runSeeds(1, seeds, disk);
    await runSeeds(1, seeds / 4, disk, true);
    await runSeeds(ONCE_FAILED, 1, disk);
  } finally {
    await disk.remove();
  }
}

describe('journal, queue, lanes, circuit breakers, retention and replays, with failing commits and crashes', () => {
  it('do what a simple model says, whatever is done in whatever order, on SQLite', async () => {
    await hold(await SqliteDisk.create(), 200);
  }, 600_000);

  it('do the same on PostgreSQL, also if connections break', async () => {
    const postgres = await TestPostgres.start();
    try {
      await hold(await PostgresDisk.create(postgres), 20);
    } finally {
      await postgres.stop();
    }
  }, 600_000);
});
