import { Daemon } from '../harness/daemon';
import { Upstream } from '../harness/upstream';

describe('a database of an earlier version', () => {
  let upstream: Upstream;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await Upstream.start();
    daemon = await Daemon.start({ upstream, environment: { LOG_LEVEL: 'info' } });
  }, 60_000);

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
  });

  const told = () => [...daemon.output.matchAll(/the database is brought up to date/g)].length;

  it('is brought up to date at the start, which says so and how long it may take', async () => {
    expect(told()).toBe(0);
    await daemon.stop();
    daemon.alterDatabase(`DELETE FROM migrations WHERE name LIKE 'Lists%'; DROP INDEX deliveries_failed;
      DROP TABLE delivery_targets; DROP INDEX duplicates_state`);
    await daemon.restart();
    expect(told()).toBe(1);
    expect(daemon.output).toMatch(/"changes":\["Lists\d+"\],"database_bytes":\d+,"expected_seconds":1/);
    expect(daemon.output).toMatch(/"took_ms":\d+.*the database is up to date/);
    await daemon.stop();
    await daemon.restart();
    expect(told()).toBe(1);
  }, 60_000);
});
