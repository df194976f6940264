import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { listedOutage, outage } from '../../../src/contract/outage';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;

describe('a system event', () => {
  let switchboard: Switchboard;
  let everything: RecordingTarget;
  let systemOnly: RecordingTarget;
  let id: string;

  beforeAll(async () => {
    switchboard = await Switchboard.start();
    [everything, systemOnly] = [await RecordingTarget.start(), await RecordingTarget.start()];
    await until('the first two are stored', async () => (await list('relay.*')).length === 2);
    await switchboard.addTarget('everything', everything.url, ['*', '*.connection.*']);
    await switchboard.addTarget('ours', systemOnly.url, ['relay.connection.*']);
    switchboard.upstream.grants.revoke();
    switchboard.clock.move(HOUR_MS);
    await until('the grant is rejected', async () => {
      const { json } = await switchboard.ask('/connection');
      return (json as { state: string }).state === 'consent_needed';
    });
    // The state is seen once, and published after it has lasted long enough.
    await until('the problem is published', async () => {
      switchboard.clock.move(1_000);
      const [newest] = await list('relay.connection.consent_needed');
      id = newest?.id ?? '';
      return id !== '';
    });
  });

  afterAll(async () => {
    await switchboard.end();
    await everything.close();
    await systemOnly.close();
  });

  const list = async (type: string) =>
    (await switchboard.read(pageOf(eventSummary), `/events?type=${encodeURIComponent(type)}`)).data;

  it('is delivered to a target whose filter includes it, signed like any other event, without a signature of Co-Pilot', async () => {
    await until('it is delivered', () => systemOnly.of(id).length === 1);
    const [{ headers, body } = systemOnly.hits[0]!] = systemOnly.of(id);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'switchboard-event-type': 'relay.connection.consent_needed',
      'switchboard-trigger': 'live',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(headers).not.toHaveProperty(SIGNATURE_HEADER);
    expect(headers).not.toHaveProperty('switchboard-upstream-signature');
    expect(JSON.parse(body.toString())).toMatchObject({
      event: 'relay.connection.consent_needed',
      webhook_id: null,
      data: { state: 'consent_needed', before: 'connected', sentence: expect.any(String) },
    });
  });

  it('is not delivered to a target for all events of Co-Pilot', async () => {
    const copilotEvent = await switchboard.emit('deal.created');
    await until('the other event is delivered', () => everything.of(copilotEvent).length === 1);
    expect(everything.hits).toHaveLength(1);
    expect(systemOnly.of(copilotEvent)).toEqual([]);
  });

  it('is shown as an event without verification', async () => {
    const event = await switchboard.event(id);
    expect(event).toMatchObject({ verification: null, headers: [], webhook_id: null, unreadable: null });
    expect(event.deliveries.map(({ target_name: name }) => name)).toEqual(['ours']);
    expect(event.name).toContain('Co-Pilot no longer accepts the authorization');
  });

  it('can be replayed like any other event', async () => {
    await until('it is delivered', () => systemOnly.of(id).length > 0);
    const before = systemOnly.of(id).length;
    expect((await switchboard.ask(`/events/${id}/replay`, { method: 'POST', json: {} })).status).toBe(202);
    await until('it is delivered again', () => systemOnly.of(id).length === before + 1);
    expect(systemOnly.of(id).at(-1)!.headers['switchboard-trigger']).toBe('replay');
  });

  it('reports an outage, which is listed and can be dismissed', async () => {
    await switchboard.stop();
    switchboard.clock.move(HOUR_MS);
    await switchboard.restart();
    await until('the outage is published', async () => (await list('relay.downtime')).length > 0);
    const { data } = await switchboard.read(pageOf(listedOutage), '/outages');
    const window = data[0]!;
    expect(window).toMatchObject({ kind: 'downtime', dismissed_at: null });
    expect(window.seconds).toBeGreaterThanOrEqual(3_600);
    const dismissed = await switchboard.read(outage, `/outages/${window.id}/dismiss`, { method: 'POST' });
    expect(dismissed.dismissed_at).not.toBeNull();
    expect((await switchboard.ask('/outages/out_0/dismiss', { method: 'POST' })).json).toMatchObject({
      code: 'outage_unknown',
      status: 404,
    });
  });
});
