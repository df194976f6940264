import { DaemonGroup } from '../../support/daemon/daemon-group';
import { dealNotification } from '../../support/notification';
import { runSql, TestPostgres } from '../../support/postgres';

describe('daemons whose server does not respond when they are stopped', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    group = await DaemonGroup.start(postgres, 2);
  });
  afterAll(async () => {
    await group?.close();
    await postgres?.stop();
  });

  it('exit with 0, say what they give up, and lose nothing that was acknowledged', async () => {
    let id = 0;
    const notifyEach = () =>
      Promise.all(
        group.daemons.map((daemon) => {
          id += 1;
          return group.sendTo(daemon, dealNotification({ id, webhookId: group.webhook.webhook_id }).body);
        }),
      );
    const acknowledged = await notifyEach();
    expect(acknowledged.map(({ status }) => status)).toEqual([200, 200]);
    for (const daemon of group.daemons) group.linkOf(daemon).stall();
    const inFlight = notifyEach();
    // After 14 s they would kill themselves, and have no exit code.
    expect(await Promise.all(group.daemons.map((daemon) => daemon.stop()))).toEqual([0, 0]);
    for (const { output } of group.daemons) expect(output).toContain('PostgreSQL does not respond');
    expect((await inFlight).map(({ status }) => status)).not.toContain(200);
    const stored = await runSql(group.url, 'SELECT 1 FROM events WHERE webhook_id IS NOT NULL');
    expect(stored).toHaveLength(acknowledged.length);
  });
});
