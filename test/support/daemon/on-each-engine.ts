import { TestPostgres } from '../postgres';
import { ScratchJournal, type ScratchStore } from './scratch-journal';
import { ScratchPostgres } from './scratch-postgres';

/** Describes a behaviour of the store once for each engine. @param describeOn gets a function that opens a store */
export function onEachEngine(title: string, describeOn: (open: () => Promise<ScratchStore>) => void): void {
  describe(`${title}, on SQLite,`, () => describeOn(() => ScratchJournal.open()));
  describe(`${title}, on PostgreSQL,`, () => {
    let postgres: TestPostgres | undefined;
    beforeAll(async () => {
      postgres = await TestPostgres.start();
    });
    afterAll(() => postgres?.stop());
    describeOn(() => ScratchPostgres.open(postgres!));
  });
}
