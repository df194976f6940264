import { DaemonRecords } from '../../../src/relay/several-daemons/daemon-records';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { TestPostgres } from '../../support/postgres';

describe('the leases of daemons', () => {
  let postgres: TestPostgres;
  let records: DaemonRecords;
  let url: string;
  const run = async (sql: string) => {
    const pool = openPool(url, 1);
    await pool.query(sql);
    await pool.end();
  };

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    url = await postgres.createMigrated();
    records = new DaemonRecords(openPool(url, 4));
  });
  afterEach(async () => {
    await records.close();
    await postgres.drop(url);
  });

  const join = (id: string) => records.renew({ id, version: '1', delivers: true });
  const endIn = (id: string, seconds: number) =>
    run(`UPDATE daemons SET alive_until = clock_timestamp() + interval '${seconds} s' WHERE id = '${id}'`);

  it('let one of many lead', async () => {
    const ids = ['one', 'two', 'three', 'four'];
    await Promise.all(ids.map(join));
    const outcomes = await Promise.all(ids.map((id) => records.takeOver({ id })));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await records.leader()).toMatchObject({ epoch: 1, daemon: ids[outcomes.indexOf(true)] });
  });

  it('let another one lead once that of the leader has run out, and never before', async () => {
    await join('one');
    await join('two');
    expect(await records.takeOver({ id: 'one' })).toBe(true);
    expect(await records.takeOver({ id: 'two' })).toBe(false);
    await run(`UPDATE daemons SET alive_until = clock_timestamp() - interval '1 ms' WHERE id = 'one'`);
    expect(await records.leader()).toMatchObject({ daemon: 'one', remainingMs: 0 });
    expect(await records.takeOver({ id: 'two' })).toBe(true);
    expect(await join('one')).toMatchObject({ epoch: 2, daemon: 'two' });
  });

  it('say when the first one of any daemon that lives can run out', async () => {
    for (const id of ['one', 'two', 'three']) await join(id);
    await endIn('one', 1_000);
    await endIn('two', 500);
    await endIn('three', -1);
    const { nextEndMs } = await records.leader();
    expect(nextEndMs).toBeLessThanOrEqual(500_000);
    expect(nextEndMs).toBeGreaterThan(400_000);
  });

  it('list the dead for a while, and the leader as long as it lives', async () => {
    await join('one');
    await join('two');
    await records.takeOver({ id: 'one' });
    await run(`UPDATE daemons SET alive_until = clock_timestamp() - interval '1 ms' WHERE id = 'one'`);
    const listed = async () =>
      (await records.list()).map(({ id, isAlive, isLeader }) => [id, isAlive, isLeader]);
    expect(await listed()).toEqual([
      ['one', false, false],
      ['two', true, false],
    ]);
    await run(`UPDATE daemons SET alive_until = clock_timestamp() - interval '25 h' WHERE id = 'one'`);
    expect(await listed()).toEqual([['two', true, false]]);
  });

  it('list no dead one whose address a living one has', async () => {
    for (const id of ['one', 'two']) {
      await join(id);
      await records.setAddress({ id }, '127.0.0.1', 4000);
    }
    expect(await records.list()).toHaveLength(2);
    await run(`UPDATE daemons SET alive_until = clock_timestamp() - interval '1 ms' WHERE id = 'one'`);
    expect((await records.list()).map(({ id }) => id)).toEqual(['two']);
  });
});
