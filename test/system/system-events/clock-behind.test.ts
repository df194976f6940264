import { postgresEnvironment } from '../../support/daemon/database-environment';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { useReceivers } from '../../support/fakes/receivers';
import { TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const DAY = 86_400_000;

const startReceiver = useReceivers();
// So that retention runs during the test.
useFastIntervals(500);

describe.each(['sqlite', 'postgres'])('a hub on %s whose clock was behind', (engine) => {
  let postgres: TestPostgres | null = null;
  let environment: Record<string, string>;
  let hub: Switchboard;

  beforeAll(async () => {
    if (engine === 'postgres') postgres = await TestPostgres.start();
    environment =
      postgres === null
        ? { ...postgresEnvironment(''), DATABASE_URL: '' }
        : postgresEnvironment(await postgres.createMigrated());
    hub = await Switchboard.start({ environment });
  });
  afterAll(async () => {
    await hub?.end();
    await postgres?.stop();
  });

  const restart = async (meanwhile = () => undefined as void) => {
    await hub.stop();
    meanwhile();
    await hub.restart(environment);
  };
  const isStored = async (id: string) => (await hub.ask(`/events/${id}`)).status === 200;

  it('keeps and delivers what it stored meanwhile once the clock is right, for as long as everything else', async () => {
    const [taking, down] = [await startReceiver(), await startReceiver()];
    await hub.addTarget('taking', taking.url, ['*']);
    const policy = {
      retry: { delays_s: Array<number>(12).fill(86_400) },
      jitter: 0,
      breaker: null,
      max_age_s: 432_000,
    };
    const { id: target } = await hub.addTarget('down', down.url, ['deal.*'], { policy });
    down.respondWith(503);
    const old = await hub.emit('task.created');
    hub.clock.move(28 * DAY);

    hub.clock.jump(-365 * DAY);
    const behind = [await hub.emit('deal.created')];
    await restart();
    behind.push(await hub.emit('deal.created'));
    // Put right in two steps, one of them while the daemon is stopped.
    hub.clock.jump(100 * DAY);
    behind.push(await hub.emit('deal.created'));
    await restart(() => hub.clock.jump(265 * DAY));
    const newest = await hub.emit('deal.created');
    for (const id of behind) await hub.deliveryOnce(id, target, ({ state }) => state === 'retrying');

    hub.clock.move(3 * DAY);
    await until('retention has run', async () => !(await isStored(old)));
    expect(await Promise.all(behind.map(isStored))).toEqual([true, true, true]);
    for (const id of behind) await hub.deliveryOnce(id, target, ({ attempts }) => attempts.length > 1);

    hub.clock.move(2 * DAY + 1);
    for (const id of [...behind, newest])
      await hub.deliveryOnce(id, target, ({ last_error: error }) => error === 'expired');
  });
});
