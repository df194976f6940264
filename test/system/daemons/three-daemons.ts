import { DaemonGroup } from '../../support/daemon/daemon-group';
import { TestPostgres } from '../../support/postgres';

export const DAEMONS = 3;

export let group: DaemonGroup;
let postgres: TestPostgres;

/** Starts three daemons, of which the first leads. */
export function shareDaemons(): void {
  beforeAll(async () => {
    postgres = await TestPostgres.start();
    group = await DaemonGroup.start(postgres, DAEMONS);
  });
  afterAll(async () => {
    await group?.close();
    await postgres?.stop();
  });
}
