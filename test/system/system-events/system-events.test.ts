import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { outage } from '../../../src/contract/outage';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const HOUR_MS = 3_600_000;

describe('an event of our own', () => {
  let board: Switchboard;
  let everything: RecordingTarget;
  let ours: RecordingTarget;
  let id: string;

  beforeAll(async () => {
    board = await Switchboard.start();
    [everything, ours] = [await RecordingTarget.start(), await RecordingTarget.start()];
    await until('the first two', async () => (await list('relay.*')).length === 2);
    await board.addTarget('everything', everything.url, ['*', '*.connection.*']);
    await board.addTarget('ours', ours.url, ['relay.connection.*']);
    board.upstream.revokeGrants();
    board.clock.move(HOUR_MS);
    await until('the grant to be refused', async () => {
      const { json } = await board.ask('/connection');
      return (json as { state: string }).state === 'consent_needed';
    });
    // Seen once, then stood for long enough.
    await until('the trouble to be told', async () => {
      board.clock.move(1_000);
      const [newest] = await list('relay.connection.consent_needed');
      id = newest?.id ?? '';
      return id !== '';
    });
  }, 60_000);

  afterAll(async () => {
    await board.end();
    await everything.close();
    await ours.close();
  });

  const list = async (type: string) =>
    (await board.read(pageOf(eventSummary), `/events?type=${encodeURIComponent(type)}`)).data;

  it('goes to the target that asks for it, signed as any, without a signature of Co-Pilot', async () => {
    await until('the delivery', () => ours.of(id).length === 1);
    const [{ headers, body } = ours.hits[0]!] = ours.of(id);
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

  it('goes to no target that asks for everything of Co-Pilot', async () => {
    const theirs = await board.emit('deal.created');
    await until('the other delivery', () => everything.of(theirs).length === 1);
    expect(everything.hits).toHaveLength(1);
    expect(ours.of(theirs)).toEqual([]);
  });

  it('is shown as an event that nobody had to verify', async () => {
    const event = await board.event(id);
    expect(event).toMatchObject({ verification: null, headers: [], webhook_id: null, unreadable: null });
    expect(event.deliveries.map(({ target_name: name }) => name)).toEqual(['ours']);
    expect(event.name).toContain('Co-Pilot no longer accepts the grant.');
  });

  it('is replayed like any other', async () => {
    await until('the first delivery', () => ours.of(id).length > 0);
    const before = ours.of(id).length;
    expect((await board.ask(`/events/${id}/replay`, { method: 'POST', json: {} })).status).toBe(202);
    await until('it again', () => ours.of(id).length === before + 1);
    expect(ours.of(id).at(-1)!.headers['switchboard-trigger']).toBe('replay');
  });

  it('tells of a window in which nothing could be received, which is listed and can be dismissed', async () => {
    await board.stop();
    board.clock.move(HOUR_MS);
    board = await Switchboard.start({ after: board });
    await until('the window to be told', async () => (await list('relay.downtime')).length > 0);
    const { data } = await board.read(pageOf(outage), '/outages');
    const window = data[0]!;
    expect(window).toMatchObject({ kind: 'downtime', dismissed_at: null });
    expect(window.seconds).toBeGreaterThanOrEqual(3_600);
    const dismissed = await board.read(outage, `/outages/${window.id}/dismiss`, { method: 'POST' });
    expect(dismissed.dismissed_at).not.toBeNull();
    expect((await board.ask('/outages/out_0/dismiss', { method: 'POST' })).json).toMatchObject({
      code: 'outage_unknown',
      status: 404,
    });
  });
});
