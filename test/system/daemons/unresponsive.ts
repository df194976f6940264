import { Client } from 'pg';
import type { Daemon } from '../../support/daemon/daemon';
import { runSql } from '../../support/postgres';
import { until } from '../../support/until';
import { group, nextDeal, notify, withoutNotices } from './three-daemons';

const statusOf = (daemon: Daemon, path: string) => fetch(daemon.url + path).then(({ status }) => status);

export function unresponsiveParts(): void {
  let leader: Daemon;
  let receiving: Daemon;
  let other: Daemon;

  beforeAll(() => {
    [leader, receiving, other] = group.daemons as [Daemon, Daemon, Daemon];
  });

  it('wait some seconds at most for one that froze in a transaction', async () => {
    const frozen = other;
    const locking = new Client(group.url);
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE identities IN EXCLUSIVE MODE');
    const send = () => {
      const { body } = nextDeal();
      const sent = { answer: group.sendTo(frozen, body), isAnswered: false };
      void sent.answer.then(() => (sent.isAnswered = true));
      return sent;
    };
    let waiting = send();
    try {
      await until('its transaction waits for the lock', async () => {
        // It waits for some seconds at most, which a busy machine may need to see it.
        if (waiting.isAnswered) waiting = send();
        const found = await runSql(
          group.url,
          `SELECT 1 FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO identities%'
             AND client_port IN (${group.linkOf(frozen).ports.join()})`,
        );
        return found.length > 0;
      });
      process.kill(frozen.pid, 'SIGSTOP');
      await locking.query('COMMIT');
      await until('another one stores events', async () => {
        const notification = nextDeal();
        return (await group.sendTo(receiving, notification.body)).status === 200;
      });
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
      await locking.end();
    }
    // The server has ended its transaction, unless that had ended before it froze.
    const { status, id } = await waiting.answer;
    if (status === 200) expect((await receiving.request('GET', `/events/${id}`)).status).toBe(200);
    await until('it receives again', async () => {
      const notification = nextDeal();
      return (await group.sendTo(frozen, notification.body)).status === 200;
    });
  });

  it('accept a key that the leader has just registered, also while it does not respond', async () => {
    await withoutNotices('subscriptions', async () => {
      const before = group.webhook.webhook_id;
      expect((await other.request('POST', '/subscription/rotate', {})).status).toBe(200);
      expect(group.webhook.webhook_id).not.toBe(before);
      // It would answer for a key that only it knows.
      process.kill(leader.pid, 'SIGSTOP');
      try {
        await notify(receiving);
        await notify(other);
        // Not the form of a key: only the leader could hold it up.
        expect(await statusOf(receiving, '/hooks/unknown')).toBe(404);
      } finally {
        process.kill(leader.pid, 'SIGCONT');
      }
    });
  });

  it('answer 404 for a key that none of them knows', async () => {
    for (const daemon of group.daemons)
      for (const key of ['unknown', 'x'.repeat(43)])
        expect(await statusOf(daemon, `/hooks/${key}`)).toBe(404);
  });

  it('are not ready while the disk of the server has space for small writes only', async () => {
    await runSql(
      group.url,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
       CREATE FUNCTION fail_to_create() RETURNS event_trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER disk_full BEFORE INSERT ON events EXECUTE FUNCTION fail();
       CREATE EVENT TRIGGER disk_full ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS')
         EXECUTE FUNCTION fail_to_create()`,
    );
    for (const daemon of [leader, receiving]) {
      const { body } = nextDeal();
      expect((await group.sendTo(daemon, body)).status).toBe(503);
      await until('it says so', async () => (await statusOf(daemon, '/readyz')) === 503);
    }
    await runSql(group.url, 'DROP EVENT TRIGGER disk_full; DROP TRIGGER disk_full ON events');
    for (const daemon of [leader, receiving])
      await until('it is ready again', async () => (await statusOf(daemon, '/readyz')) === 200);
  });

  it('are each healthy and ready', async () => {
    for (const daemon of group.daemons)
      for (const path of ['/healthz', '/readyz']) expect(await statusOf(daemon, path)).toBe(200);
  });
}
