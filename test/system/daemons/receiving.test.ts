import { Client } from 'pg';
import { io } from 'socket.io-client';
import type { EventSummary } from '../../../src/contract/event';
import type { ManifestResult } from '../../../src/contract/manifest';
import type { Outage } from '../../../src/contract/outage';
import type { Page } from '../../../src/contract/page';
import type { ReachabilityCheck } from '../../../src/contract/reachability';
import type { Stats } from '../../../src/contract/stats';
import type { TargetCreated } from '../../../src/contract/target';
import type { Subscription } from '../../../src/contract/subscription';
import type { Daemon } from '../../support/daemon/daemon';
import { DaemonGroup } from '../../support/daemon/daemon-group';
import { runCommand } from '../../support/daemon/run-command';
import { ListenerProcess } from '../../support/fakes/listener-process';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { dealNotification } from '../../support/notification';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

const statusOf = (daemon: Daemon, path: string) => fetch(daemon.url + path).then(({ status }) => status);

const apply = async (daemon: Daemon, json: object) =>
  (await daemon.request('POST', '/manifests/shared/apply', json)).body as ManifestResult;

describe('daemons on one database', () => {
  let postgres: TestPostgres;
  let group: DaemonGroup;
  let leader: Daemon;
  let receiving: Daemon;
  let other: Daemon;
  let target: RecordingTarget;
  let nextId = 1;
  let accepted = 0;

  const notify = async (daemon: Daemon): Promise<string> => {
    const { body } = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
    let outcome = await group.sendTo(daemon, body);
    // On a busy machine it may not be stored in time: then it is sent again.
    while (outcome.code === 'not_stored') outcome = await group.sendTo(daemon, body);
    expect(outcome).toMatchObject({ status: 200, code: 'accepted' });
    accepted += 1;
    return outcome.id!;
  };
  /** Without it, what has changed is found by the version of the targets, a look at the keys, or a poll. */
  const withoutNotices = async (table: string, work: () => Promise<void>) => {
    await runSql(group.url, `ALTER TABLE ${table} DISABLE TRIGGER notify_change`);
    await work();
    await runSql(group.url, `ALTER TABLE ${table} ENABLE TRIGGER notify_change`);
  };

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    group = await DaemonGroup.start(postgres, 3);
    [leader, receiving, other] = group.daemons as [Daemon, Daemon, Daemon];
    target = await RecordingTarget.start();
  });
  afterAll(async () => {
    await group?.close();
    await target?.close();
    await postgres?.stop();
  });

  it('are listed by each of them, of which one leads', async () => {
    for (const asked of group.daemons) {
      const entries = await group.list(asked);
      expect(entries.map(({ address }) => address).toSorted()).toEqual(
        group.daemons.map(({ url }) => url).toSorted(),
      );
      expect(entries.filter((entry) => entry.leader).map(({ address }) => address)).toEqual([leader.url]);
    }
  });

  it('are shown by the command status of each', async () => {
    const { out } = await runCommand(receiving.dataDir, ['status'], {
      SWITCHBOARD_ADMIN_TOKEN: receiving.token,
    });
    expect(out).toContain(`Daemon        ${leader.url}  leads`);
    expect(out).toContain(`Daemon        ${receiving.url}  receives`);
  });

  it('tell the leader what notifications reveal about their webhook', async () => {
    await notify(receiving);
    await until('the signature header is known', async () => {
      const { signature_header: header } = await leader.get<Subscription>('/subscription');
      return header === 'x-signature';
    });
  });

  it('plan what one of them receives for a target that was created a moment before', async () => {
    await withoutNotices('targets', async () => {
      await receiving.addTarget('shop', target.url, { policy: { ordering: 'entity' } });
      const id = await notify(receiving);
      await until('it is delivered', () => target.of(id).length === 1);
    });
  });

  it('deliver to the targets of a manifest, whichever of them it was sent to', async () => {
    const receiver = await RecordingTarget.start();
    const targets = ['one', 'two'].map((name) => ({ name, url: `${receiver.url}&name=${name}` }));
    const { changes } = await apply(receiving, { targets });
    expect(changes.map(({ action }) => action)).toEqual(['create', 'create']);
    const id = await notify(other);
    await until('it is delivered to both', () => receiver.of(id).length === 2);
    expect((await apply(leader, { targets })).changes.map(({ action }) => action)).toEqual(['none', 'none']);
    expect((await apply(other, { prune: true })).changes.map(({ action }) => action)).toEqual([
      'remove',
      'remove',
    ]);
    await receiver.close();
  });

  it('deliver what each of them receives', async () => {
    const ids: string[] = [];
    for (const daemon of [leader, receiving, other, receiving]) ids.push(await notify(daemon));
    await until('all are delivered', () => ids.every((id) => target.of(id).length === 1));
    await until('nothing is queued', async () => (await leader.get<Stats>('/stats')).deliveries.open === 0);
  });

  it('count what each of them receives', async () => {
    for (const daemon of [receiving, other]) await notify(daemon);
    await until('all are counted', async () => {
      const { received } = await leader.get<Stats>('/stats');
      return received.accepted === accepted;
    });
  });

  it('deliver a duplicate to a target that receives duplicates, and count it', async () => {
    const twice = await RecordingTarget.start();
    const { id } = await other.addTarget('twice', twice.url, { policy: { duplicates: 'deliver' } });
    const { body } = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
    for (const daemon of [receiving, other]) await group.sendTo(daemon, body);
    await until('it is delivered twice', async () => {
      const { data } = await leader.get<{ data: unknown[] }>(`/deliveries?target=${id}&status=succeeded`);
      return data.length === 2;
    });
    // Other targets have the event, too.
    await until('nothing is open', async () => (await leader.get<Stats>('/stats')).deliveries.open === 0);
    expect((await leader.request('DELETE', `/targets/${id}`)).status).toBe(204);
    await twice.close();
  });

  it('record once that they refused notifications, and that their webhook was missing, with one gap event each', async () => {
    const { body } = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
    const large = Buffer.concat([body, Buffer.alloc(8 * 1024 * 1024, ' ')]);
    for (const daemon of [receiving, other]) expect((await group.sendTo(daemon, large)).status).toBe(413);
    await until('the leader knows of both', async () => {
      const { not_stored: counts } = await leader.get<Stats>('/stats');
      return counts.some(({ reason, count }) => reason === 'too_large' && count === 2);
    });
    group.upstream.webhooks.clear();
    await Promise.all([receiving, other].map((daemon) => daemon.request('POST', '/subscription/repair')));
    let outages: Outage[] = [];
    await until('both are recorded', async () => {
      const { data } = await other.get<Page<Outage>>('/outages');
      outages = data.filter(({ kind }) => kind === 'not_stored' || kind === 'unregistered');
      return new Set(outages.map(({ kind }) => kind)).size === 2;
    });
    expect(outages).toHaveLength(2);
    const { data: gaps } = await other.get<Page<EventSummary>>('/events?type=relay.gap');
    expect(gaps.map(({ id }) => id)).toEqual(expect.arrayContaining(outages.map((one) => one.gap_event_id)));
    expect(gaps).toHaveLength((await other.get<Page<Outage>>('/outages')).data.length);
  });

  it('wait some seconds at most for one that froze in a transaction', async () => {
    const frozen = other;
    const locking = new Client(group.url);
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE identities IN EXCLUSIVE MODE');
    const send = () => {
      const { body } = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
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
        const notification = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
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
      const notification = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
      return (await group.sendTo(frozen, notification.body)).status === 200;
    });
  });

  it('show what one of them receives live at another', async () => {
    const socket = io(`${receiving.url}/live`, {
      transports: ['websocket'],
      extraHeaders: { authorization: `Bearer ${receiving.token}` },
    });
    const shown: string[] = [];
    socket.on('events', (events: EventSummary[]) => shown.push(...events.map(({ id }) => id)));
    try {
      await until('the socket is connected', () => socket.connected);
      const id = await notify(other);
      await until('the event is shown', () => shown.includes(id));
    } finally {
      socket.close();
    }
  });

  it('connect the process of a listener to the leader, which delivers to it', async () => {
    const listener = { kind: 'listener', name: 'listener' };
    const { id } = (await leader.request('POST', '/targets', listener)).body as TargetCreated;
    const process = await ListenerProcess.start(receiving.url, leader.token, { target: id });
    const event = await notify(other);
    await until('it is delivered', () => process.confirmed.length === 1);
    expect(process.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([event]);
    const owners = (await group.list(other)).filter(({ target_ids: ids }) => ids?.includes(id));
    expect(owners.map((one) => one.leader)).toEqual([true]);
    process.close();
    await leader.request('DELETE', `/targets/${id}`);
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

  it('answer a check of the reachability wherever it arrives', async () => {
    for (let checks = 0; checks < 3; checks += 1) {
      const { status, body } = await receiving.request('POST', '/subscription/reachability');
      expect({ status, ...(body as ReachabilityCheck) }).toMatchObject({ status: 200, cause: null });
    }
  });

  it('quarantine what has no valid signature, and show it at each', async () => {
    const url = new URL(group.webhook.url);
    const response = await fetch(`${receiving.url}${url.pathname}`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    await until('it is listed', async () => {
      const { data } = await other.get<{ data: { reason: string }[] }>('/rejections');
      return data.some(({ reason }) => reason === 'no_signature');
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
      const { body } = dealNotification({ id: (nextId += 1), webhookId: group.webhook.webhook_id });
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
});
