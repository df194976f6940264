import { io } from 'socket.io-client';
import type { EventSummary } from '../../../src/contract/event';
import type { ManifestResult } from '../../../src/contract/manifest';
import type { Outage } from '../../../src/contract/outage';
import type { Page } from '../../../src/contract/page';
import type { ReachabilityCheck } from '../../../src/contract/reachability';
import type { Stats } from '../../../src/contract/stats';
import type { Subscription } from '../../../src/contract/subscription';
import type { TargetCreated } from '../../../src/contract/target';
import type { Daemon } from '../../support/daemon/daemon';
import { runCommand } from '../../support/daemon/run-command';
import { ListenerProcess } from '../../support/fakes/listener-process';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { group, nextDeal, notify as send, withoutNotices } from './three-daemons';

const apply = async (daemon: Daemon, json: object) =>
  (await daemon.request('POST', '/manifests/shared/apply', json)).body as ManifestResult;

export function receivingDaemons(): void {
  let leader: Daemon;
  let receiving: Daemon;
  let other: Daemon;
  let target: RecordingTarget;
  let accepted = 0;

  const notify = async (daemon: Daemon): Promise<string> => {
    accepted += 1;
    return send(daemon);
  };

  beforeAll(async () => {
    [leader, receiving, other] = group.daemons as [Daemon, Daemon, Daemon];
    target = await RecordingTarget.start();
  });
  afterAll(() => target.close());

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
    const { body } = nextDeal();
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
    const { body } = nextDeal();
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
}
