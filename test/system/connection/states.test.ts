import { connection as connectionSchema, type Connection } from '../../../src/contract/connection';
import { MessageServices } from '../../support/fakes/message-services';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import type { CopilotResponse } from '../../support/fakes/copilot-requests';

const HOUR_MS = 3_600_000;

let switchboard: Switchboard;

const connection = (): Promise<Connection> => switchboard.read(connectionSchema, '/connection');
const disconnect = (json: object) => switchboard.ask('/connection/disconnect', { method: 'POST', json });
const failRenewal = (response: CopilotResponse | 'drop_request') => {
  switchboard.upstream.misbehave('POST /oauth/token', response);
  switchboard.clock.move(HOUR_MS);
};
const consent = async () => {
  const started = await switchboard.wire.send('/oauth/connect', { headers: switchboard.bearer });
  const callback = await switchboard.upstream.consent(started.headers.location ?? '');
  const cookie = started.headers['set-cookie']![0]!.split(';')[0]!;
  await switchboard.wire.send(callback.pathname + callback.search, { headers: [['cookie', cookie]] });
};

describe('receiving and delivering', () => {
  let target: RecordingTarget;
  let targetId: string;

  beforeAll(async () => {
    switchboard = await Switchboard.start();
    target = await RecordingTarget.start();
    targetId = (await switchboard.addTarget('consumer', target.url, ['*'])).id;
  });
  afterEach(async () => {
    switchboard.upstream.behave();
    if ((await connection()).state !== 'connected') await consent();
  });
  afterAll(async () => {
    await switchboard.end();
    await target.close();
  });

  // First: the token of the registration is still the present one.
  it('show no secret that Co-Pilot repeats in an error response', async () => {
    const { clientSecret } = switchboard.upstream;
    const { headers } = switchboard.upstream.requests.findLast(({ path }) =>
      path.startsWith('/v1/webhooks'),
    )!;
    const shown = async () =>
      JSON.stringify([await connection(), (await switchboard.ask('/subscription')).json]);
    const detail = `no place for ${headers.authorization}`;
    switchboard.upstream.misbehave('POST /v1/webhooks', { status: 422, body: { detail } });
    const rotation = await switchboard.ask('/subscription/rotate', { method: 'POST', json: {} });
    expect(JSON.stringify(rotation.json)).toContain('no place for Bearer ***');
    expect(await shown()).not.toContain(String(headers.authorization).slice(7));
    failRenewal({ status: 400, body: { error: clientSecret } });
    await until('the renewal fails', async () => (await shown()).includes('(***)'));
    expect(await shown()).not.toContain(clientSecret);
  });

  it.each<[Connection['state'], string, CopilotResponse | 'drop_request']>([
    ['consent_needed', 'invalid_grant', { status: 400, body: { error: 'invalid_grant' } }],
    ['client_rejected', 'invalid_client', { status: 401, body: { error: 'invalid_client' } }],
    ['unreachable', 'a dropped connection', 'drop_request'],
    ['unreachable', 'HTML', { status: 200, body: '<html>', contentType: 'text/html' }],
    ['unreachable', 'HTML with status 400', { status: 400, body: '<html>', contentType: 'text/html' }],
    ['unreachable', 'JSON without tokens', { status: 200, body: { hello: 'there' } }],
  ])('continue while the connection is %s, after %s', async (state, _, response) => {
    failRenewal(response);
    await until(`the connection is ${state}`, async () => (await connection()).state === state);

    const id = await switchboard.emit('deal.created');
    await switchboard.deliveryOnce(id, targetId, (delivery) => delivery.state === 'succeeded');
    expect((await connection()).state).toBe(state);
    expect((await connection()).remedy).not.toBeNull();
  });

  it('continue while a renewal is in progress', async () => {
    let respond!: () => void;
    const responded = new Promise<void>((resolve) => (respond = resolve));
    switchboard.upstream.watch('POST /oauth/token', () => responded);
    switchboard.clock.move(HOUR_MS);
    await until('the renewal starts', async () => (await connection()).state === 'renewing');
    const id = await switchboard.emit('deal.created');
    await switchboard.deliveryOnce(id, targetId, (delivery) => delivery.state === 'succeeded');
    expect((await connection()).state).toBe('renewing');
    respond();
    await until('the renewal is done', async () => (await connection()).state === 'connected');
  });

  it('continue after a new consent', async () => {
    failRenewal({ status: 400, body: { error: 'invalid_grant' } });
    await until('consent to be needed', async () => (await connection()).state === 'consent_needed');
    switchboard.upstream.behave();
    await consent();
    expect((await connection()).state).toBe('connected');
    expect(switchboard.upstream.webhooks.size).toBe(1);
    const id = await switchboard.emit('deal.created');
    await switchboard.deliveryOnce(id, targetId, (delivery) => delivery.state === 'succeeded');
  });

  it('can only be ended by force without a grant', async () => {
    failRenewal({ status: 400, body: { error: 'invalid_grant' } });
    await until('the end of the grant', async () => (await connection()).state === 'consent_needed');
    expect(await disconnect({})).toMatchObject({ status: 409, json: { code: 'webhook_not_deleted' } });
    expect(await disconnect({ force: true })).toMatchObject({
      status: 200,
      json: { state: 'not_connected' },
    });
  });
});

describe('reported by a message that is resolved:', () => {
  let services: MessageServices;

  beforeEach(async () => {
    switchboard = await Switchboard.start();
    services = await MessageServices.start();
    await switchboard.addTarget('on call', services.urlOf('pagerduty'), ['relay.*.down', 'relay.*.ending'], {
      format: 'pagerduty',
    });
  });
  afterEach(async () => {
    await switchboard.end();
    await services.close();
  });

  /** Advances the clock until PagerDuty has this many messages. @returns what they do */
  const actionsOf = async (count: number) => {
    await until(`${count} messages arrive`, () => {
      const isComplete = services.accepted.pagerduty.length >= count;
      if (!isComplete) switchboard.clock.move(1_000);
      return isComplete;
    });
    return services.accepted.pagerduty.map(({ body }) => {
      const { event_action: action, payload } = JSON.parse(body) as {
        event_action: string;
        payload?: { class: string };
      };
      return [action, payload?.class];
    });
  };

  it('a connection without a valid grant', async () => {
    failRenewal({ status: 400, body: { error: 'invalid_grant' } });
    expect(await actionsOf(1)).toEqual([['trigger', 'relay.connection.down']]);
    switchboard.upstream.behave();
    await consent();
    expect(await actionsOf(2)).toEqual([
      ['trigger', 'relay.connection.down'],
      ['resolve', undefined],
    ]);
  });

  it('access that cannot be renewed, before it ends', async () => {
    switchboard.upstream.grants.givesRefreshToken = false;
    await consent();
    switchboard.clock.move(0.75 * HOUR_MS);
    expect((await switchboard.ask('/alerts')).json).toMatchObject({ data: [] });
    switchboard.clock.move(0.06 * HOUR_MS);
    expect(await actionsOf(1)).toEqual([['trigger', 'relay.connection.ending']]);
    expect((await connection()).state).toBe('connected');
    switchboard.upstream.grants.givesRefreshToken = true;
    await consent();
    expect((await actionsOf(2))[1]).toEqual(['resolve', undefined]);
  });

  it('a webhook that Co-Pilot rejects', async () => {
    const repair = () => switchboard.ask('/subscription/repair', { method: 'POST' });
    switchboard.upstream.webhooks.clear();
    switchboard.upstream.misbehave('POST /v1/webhooks', { status: 422, body: { detail: 'no' } });
    await repair();
    expect(await actionsOf(1)).toEqual([['trigger', 'relay.subscription.down']]);
    switchboard.upstream.behave();
    await repair();
    expect(await actionsOf(2)).toEqual([
      ['trigger', 'relay.subscription.down'],
      ['resolve', undefined],
    ]);
  });
});
