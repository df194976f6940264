import { connection as connectionSchema, type Connection } from '../../../src/contract/connection';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import type { UpstreamAnswer } from '../../support/fakes/copilot';

const HOUR_MS = 3_600_000;

describe('Receiving and delivering', () => {
  let board: Switchboard;
  let target: RecordingTarget;
  let targetId: string;

  beforeEach(async () => {
    board = await Switchboard.start();
    target = await RecordingTarget.start();
    targetId = (await board.addTarget('consumer', target.url, ['*'])).id;
  });
  afterEach(async () => {
    await board.end();
    await target.close();
  });

  const connection = (): Promise<Connection> => board.read(connectionSchema, '/connection');
  const disconnect = (json: object) => board.ask('/connection/disconnect', { method: 'POST', json });
  const renewalMeets = (answer: UpstreamAnswer | 'refuse') => {
    board.upstream.misbehave('POST /oauth/token', answer);
    board.clock.move(HOUR_MS);
  };

  it.each<[Connection['state'], string, UpstreamAnswer | 'refuse']>([
    ['consent_needed', 'invalid_grant', { status: 400, body: { error: 'invalid_grant' } }],
    ['client_refused', 'invalid_client', { status: 401, body: { error: 'invalid_client' } }],
    ['unreachable', 'a dropped connection', 'refuse'],
    ['unreachable', 'HTML', { status: 200, body: '<html>', contentType: 'text/html' }],
    ['unreachable', 'HTML with status 400', { status: 400, body: '<html>', contentType: 'text/html' }],
    ['unreachable', 'JSON that holds no tokens', { status: 200, body: { hello: 'there' } }],
  ])('go on while the connection is %s, after %s', async (state, _, answer) => {
    renewalMeets(answer);
    await until(`the connection to be ${state}`, async () => (await connection()).state === state);

    const id = await board.emit('deal.created');
    await board.deliveryOnce(id, targetId, (delivery) => delivery.state === 'succeeded');
    expect((await connection()).state).toBe(state);
    expect((await connection()).remedy).not.toBeNull();
  });

  it('end without Co-Pilot by force alone, once there is no grant any more', async () => {
    renewalMeets({ status: 400, body: { error: 'invalid_grant' } });
    await until('the end of the grant', async () => (await connection()).state === 'consent_needed');
    expect(await disconnect({})).toMatchObject({ status: 409, json: { code: 'webhook_not_deleted' } });
    expect(await disconnect({ force: true })).toMatchObject({
      status: 200,
      json: { state: 'not_connected' },
    });
  });

  it('show no secret that Co-Pilot repeats in a refusal', async () => {
    const { clientSecret } = board.upstream;
    const { headers } = board.upstream.requests.findLast(({ path }) => path.startsWith('/v1/webhooks'))!;
    const shown = async () => JSON.stringify([await connection(), (await board.ask('/subscription')).json]);
    const detail = `no place for ${headers.authorization}`;
    board.upstream.misbehave('POST /v1/webhooks', { status: 422, body: { detail } });
    const rotation = await board.ask('/subscription/rotate', { method: 'POST', json: {} });
    expect(JSON.stringify(rotation.json)).toContain('no place for Bearer ***');
    expect(await shown()).not.toContain(String(headers.authorization).slice(7));
    renewalMeets({ status: 400, body: { error: clientSecret } });
    await until('the renewal', async () => (await shown()).includes('(***)'));
    expect(await shown()).not.toContain(clientSecret);
  });

  it('go on while a renewal is under way', async () => {
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    board.upstream.watch('POST /oauth/token', () => answered);
    board.clock.move(HOUR_MS);
    await until('the renewal', async () => (await connection()).state === 'renewing');
    const id = await board.emit('deal.created');
    await board.deliveryOnce(id, targetId, (delivery) => delivery.state === 'succeeded');
    expect((await connection()).state).toBe('renewing');
    answer();
    await until('its answer', async () => (await connection()).state === 'connected');
  });

  it('go on after the consent that consent_needed asks for', async () => {
    renewalMeets({ status: 400, body: { error: 'invalid_grant' } });
    await until('consent to be needed', async () => (await connection()).state === 'consent_needed');
    board.upstream.behave();
    const begun = await board.wire.send('/oauth/connect', { headers: board.bearer });
    const callback = await board.upstream.consent(begun.headers.location ?? '');
    const cookie = begun.headers['set-cookie']![0]!.split(';')[0]!;
    await board.wire.send(callback.pathname + callback.search, { headers: [['cookie', cookie]] });
    expect((await connection()).state).toBe('connected');
    expect(board.upstream.webhooks.size).toBe(1);
    const id = await board.emit('deal.created');
    await board.deliveryOnce(id, targetId, (delivery) => delivery.state === 'succeeded');
  });
});
