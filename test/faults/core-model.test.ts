import type { Disk } from '../support/core-model/disk';
import { PostgresDisk } from '../support/core-model/postgres-disk';
import { runSeeds } from '../support/core-model/run-seed';
import { SqliteDisk } from '../support/core-model/sqlite-disk';
import { TestPostgres } from '../support/postgres';

const FIRST_SEED = Number(process.env['FIRST_SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 100_000);
/** Whether targets have filters, those on changes included. */
const FILTERS = process.env['FILTERS'] === '1';
/** One on a server takes ten times as long. */
const POSTGRES_SEEDS = Math.ceil(SEEDS / 100);
/** After so many, it says how far it is. */
const PART = 5_000;

const mebibytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20);

async function hold(disk: Disk, seeds: number): Promise<void> {
  try {
    for (let done = 0; done < seeds; done += PART) {
      const count = Math.min(PART, seeds - done);
      await runSeeds(FIRST_SEED + done, count, disk, FILTERS);
      process.stdout.write(`${done + count} of ${seeds} seeds, ${mebibytes()} MiB\n`);
    }
  } finally {
    await disk.remove();
  }
}

describe('journal, queue, lanes, circuit breakers, retention and replays, with failing commits and crashes', () => {
  it('do what a simple model says, whatever is done in whatever order, on SQLite', async () => {
    await hold(await SqliteDisk.create(), SEEDS);
  }, 36_000_000);

  it('do the same on PostgreSQL, also if connections break', async () => {
    const postgres = await TestPostgres.start();
    try {
      await hold(await PostgresDisk.create(postgres), POSTGRES_SEEDS);
    } finally {
      await postgres.stop();
    }
  }, 36_000_000);
});
