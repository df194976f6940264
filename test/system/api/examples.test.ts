import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deal, hook, isDelivered, isHeld, type Json } from '../../support/api/example-answers';
import { DescribedApi, type ApiDocument } from '../../support/api/described-api';
import { RecordedExamples, type ExampleInput } from '../../support/api/recorded-examples';
import { Demo } from '../../support/daemon/demo';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { HttpClient } from '../../support/http';
import { until } from '../../support/until';

const FILE = join(__dirname, '../../../src/relay/api/openapi/examples.json');
const HOUR_MS = 3_600_000;

let switchboard: Switchboard;
let receiver: RecordingTarget;
let failing: RecordingTarget;
let api: DescribedApi;
let examples: RecordedExamples;
let targetId: string;
let eventId: string;

beforeAll(async () => {
  receiver = await RecordingTarget.start();
  failing = await RecordingTarget.start(500);
  switchboard = await Switchboard.start();
  api = new DescribedApi((await switchboard.ask('/openapi.json')).json as ApiDocument);
  examples = new RecordedExamples(api, switchboard.clock.now());
});
afterAll(async () => {
  await switchboard.end();
  await receiver.close();
  await failing.close();
});

/** Calls an operation. @returns its answer */
async function call(operationId: string, input: ExampleInput = {}): Promise<Json> {
  const headers = input.headers ?? switchboard.bearer;
  return (await examples.call(switchboard.wire, operationId, { ...input, headers })).json as Json;
}
const ofId = (id: string, body?: object): ExampleInput => ({ path: { id }, ...(body && { body }) });
const first = async (operationId: string, isWanted: (one: Json) => boolean = () => true): Promise<Json> => {
  let found: Json | undefined;
  await until(`${operationId} has one`, async () => {
    found = (await call(operationId)).data.find(isWanted);
    return found !== undefined;
  });
  return found!;
};

describe('each operation, with an example in the document, answers as it is described:', () => {
  it('the state of the hub', async () => {
    for (const id of ['getLiveness', 'getReadiness', 'getConnection', 'getSubscription', 'getSettings'])
      await call(id);
    for (const id of ['listDaemons', 'checkReachability', 'checkLedger', 'getManifestSchema']) await call(id);
    await call('createBackup', { body: { file: join(switchboard.dataDir, 'hub.backup') } });
    await until('it is backed up', async () => (await call('getBackups')).latest !== null);
  });

  it('targets', async () => {
    const body = { name: 'billing', url: hook(receiver), events: ['deal.*'] };
    targetId = (await call('createTarget', { body })).id;
    await call('updateTarget', ofId(targetId, { filter: { 'data.status_id': { $in: [2, 3] } } }));
    await call('pauseTarget', ofId(targetId, { reason: 'Upgrade of the accounts' }));
    for (const id of ['resumeTarget', 'getTarget', 'testTarget', 'examineReceiver'])
      await call(id, ofId(targetId));
    await call('rotateTargetSecret', ofId(targetId, { overlap_seconds: 3_600 }));
    await call('pauseTargets', { body: { all: true, reason: 'Upgrade of the network' } });
    await call('resumeTargets', { body: { all: true } });
    await call('listTargets');
    await call('previewMessage', { body: { format: 'slack' } });
    await call('testSettings', { body: { url: hook(receiver) } });
  });

  it('events and their deliveries', async () => {
    eventId = await switchboard.emit('deal.created', deal(42));
    await switchboard.emit('deal.updated', deal(42));
    const { id } = await first('listDeliveries', ({ state }) => state === 'succeeded');
    for (const one of ['getDelivery', 'getSentBody']) await call(one, ofId(id));
    await first('listEvents', isDelivered);
    await call('listEvents', { query: { type: 'deal.*', limit: 2 } });
    for (const one of ['countEvents', 'getHistogram', 'exportEvents', 'learnFields'])
      await call(one, { query: { type: 'deal.*' } });
    for (const one of ['getEvent', 'explainEvent', 'getEventBody', 'getChangesOfEvent'])
      await call(one, ofId(eventId));
    const path = { entity: 'deal:42' };
    await call('getEntity', { path });
    await call('compareEntity', { path, query: { from: 1 } });
    const query = { kind: 'deal', payload: '{"data.status_id":2}' };
    await call('listEntities', { query: { ...query, field: 'data.price' } });
    for (const one of ['countEntities', 'exportEntities']) await call(one, { query });
    await call('listChangedEntities', { query: { from: 1, kind: 'deal' } });
    await call('replayEvent', ofId(eventId, { target_ids: [targetId] }));
    await call('resendEvent', ofId(eventId, { target_ids: [targetId], body: { event: 'deal.created' } }));
    const raw = JSON.stringify({ event: 'deal.created', data: deal(42) });
    await call('matchNotification', { body: { type: 'deal.created', raw } });
    await call('previewFilter', { body: { events: ['deal.*'], filter: { 'data.price': { $gte: 10_000 } } } });
    await call('previewTransform', { body: { expression: '{"text": data.name}', event_id: eventId } });
    const test = { name: 'name', input: { data: deal(42) }, expected: { text: 'Solar roof, Example Ltd.' } };
    await call('testTransform', ofId(targetId, { expression: '{"text": data.name}', tests: [test] }));
  });

  it('what is erased', async () => {
    const entity = 'contact:7';
    await switchboard.emit('contact.updated', { nonce: undefined, id: 7, name: 'Grace Example' });
    const { until_seq } = await call('previewErasure', { body: { entity } });
    const { id } = await call('startErasure', { body: { entity, until_seq, reason: 'Request of 3 March' } });
    await call('getErasure', ofId(id));
    await first('listErasures');
  });

  it('types of payloads', async () => {
    await first('listTypes', ({ type }) => type === 'deal.created');
    const path = { type: 'deal.created' };
    for (const one of ['getType', 'listTypeVersions', 'acceptType']) await call(one, { path });
    await call('changeType', { path, body: { ignore: ['data.name'] } });
    await call('exportTypes');
    await call('removeType', { path });
  });

  it('deliveries that failed', async () => {
    const policy = { retry: { attempts: 1, first_s: 1, factor: 1, cap_s: 1 }, breaker: null };
    await switchboard.addTarget('crm', hook(failing), ['contact.*'], { policy });
    for (let i = 1; i <= 4; i += 1)
      await switchboard.emit('contact.updated', { nonce: undefined, id: i, name: 'Ada Example' });
    const dead = async (number: number) => {
      await until('it is dead', async () => (await call('listDeadLetters')).data.length >= number);
      return (await first('listDeadLetters')).id;
    };
    await dead(4);
    await call('listCauses');
    await call('discardDelivery', ofId(await dead(4), { reason: 'Entered by hand' }));
    await call('retryDelivery', ofId(await dead(3)));
    await dead(3);
    const { id } = await call('retryDeadLetters', { body: { error: 'http_status' } });
    await call('getDeliveryJob', ofId(id));
    await call('cancelDeliveryJob', ofId(id));
    await call('discardDeadLetters', { body: { reason: 'The old system is gone', all: true } });
    await first('listDeliveryJobs', ({ total, done }) => total === 3 && done === 3);
  });

  it('duplicates and rejections', async () => {
    const notification = switchboard.sign('deal.status_changed', deal(43));
    for (let i = 0; i < 3; i += 1) await switchboard.notify(notification);
    await call('releaseDuplicate', ofId((await first('listDuplicates', isHeld)).id));
    await call('dismissDuplicate', ofId((await first('listDuplicates', isHeld)).id));
    await switchboard.notify({ ...notification, signature: '0'.repeat(64) });
    const { id } = await first('listRejections');
    for (const one of ['getRejectionBody', 'recheckRejection', 'deleteRejection']) await call(one, ofId(id));
  });

  it('consumers', async () => {
    const path = { name: 'reports' };
    await call('createConsumer', { body: { name: 'reports', types: ['deal.*'], start: 'oldest' } });
    for (const id of ['listConsumers', 'getConsumer']) await call(id, { path });
    await call('changeConsumer', { path, body: { types: ['deal.*', 'contact.*'] } });
    const read = await call('readConsumer', { path, body: { limit: 2 } });
    const lease = read.lease;
    await call('commitConsumer', { path, body: { lease, position: read.next_cursor } });
    await call('releaseConsumer', { path, body: { lease } });
    await call('resetConsumer', { path, body: { position: 'oldest' } });
    await call('removeConsumer', { path });
  });

  it('replays', async () => {
    const body = { filter: { types: ['deal.*'] }, target_ids: [targetId], rate: { per_second: 0.1 } };
    await call('previewReplay', { body });
    const { id } = await call('startReplay', { body });
    const isSent = async () => (await call('getReplay', ofId(id))).report[0]?.succeeded === 1;
    await until('an event is delivered', isSent);
    for (const one of ['pauseReplay', 'getReplay', 'resumeReplay', 'cancelReplay']) await call(one, ofId(id));
    await call('listReplays');
  });

  it('targets in a file', async () => {
    const targets = [{ name: 'archive', url: hook(receiver), events: ['*'] }];
    await call('applyManifest', { path: { name: 'production' }, body: { targets } });
    await call('exportManifest', { query: { manifest: 'production' } });
  });

  it('statistics, issues and the audit log', async () => {
    for (const id of ['getMetrics', 'getStats', 'getStatsSeries', 'getTargetsTraffic', 'listAuditEntries'])
      await call(id);
    for (const id of ['getTargetErrors', 'getTargetSeries']) await call(id, ofId(targetId));
    await call('addSnooze', { body: { issue: 'dead', until: null, note: 'Known, Ada looks after it' } });
    for (const id of ['listSnoozes', 'readHealth', 'listAlerts']) await call(id);
    await call('removeSnooze', ofId('dead'));
    const { id } = await call('createSavedView', {
      body: { name: 'Dead deals', address: '/events?status=dead' },
    });
    await call('changeSavedView', ofId(id, { pinned: true }));
    await call('listSavedViews');
    await call('removeSavedView', ofId(id));
  });

  it('outages', async () => {
    await switchboard.stop();
    switchboard.clock.move(HOUR_MS);
    await switchboard.restart();
    await call('dismissOutage', ofId((await first('listOutages')).id));
  });

  it('repairs', async () => {
    const body = { data: [{ ...deal(43), updated_at: '2026-01-15T11:00:00.000Z' }], next_cursor: null };
    switchboard.upstream.misbehave('GET /v1/deals', { status: 200, body });
    const { id } = await call('startRepair', { body: { requests_per_minute: 60 } });
    await until('it is previewed', async () => {
      const { state } = await call('getRepair', ofId(id));
      if (state === 'settling') switchboard.clock.move(60_000);
      return state === 'previewed';
    });
    await call('listRepairItems', { path: { id }, query: { action: 'missing' } });
    await call('applyRepair', ofId(id, { actions: ['changed', 'missing'] }));
    await call('cancelRepair', ofId(id));
    await call('listRepairs');
    switchboard.upstream.behave();
  });

  it('access', async () => {
    const { id } = await call('createToken', { body: { name: 'Reports', scopes: ['read'] } });
    for (const one of ['listTokens', 'getSession', 'createLoginLink', 'openSession'])
      await call(one, one === 'openSession' ? { body: { token: switchboard.adminToken } } : {});
    await call('revokeToken', ofId(id));
    const session = await first('listSessions');
    await call('revokeSession', ofId(session.id));
    await call('closeSession');
    await call('revokeSessions');
  });

  it('the subscription and the connection', async () => {
    for (const id of ['pauseSubscription', 'resumeSubscription', 'repairSubscription', 'rotateSubscription'])
      await call(id);
    const body = Buffer.from(
      JSON.stringify({ event: 'deal.deleted', timestamp: '', webhook_id: 'wh_1', data: {} }),
    );
    await switchboard.notify({ body, signature: switchboard.upstream.sign(switchboard.webhook, body) });
    await until('it is reported', async () => (await call('getSubscription')).reported.length > 0);
    await call('deleteReportedWebhook', ofId('wh_1'));
    await call('removeTarget', ofId(targetId));
    await call('endConnection', { body: {} });
    await call('checkAndBeginConsent');
    const { headers } = await examples.call(switchboard.wire, 'openConsent', { headers: switchboard.bearer });
    const callback = await switchboard.upstream.consent(headers.location!);
    await call('completeConsent', {
      query: Object.fromEntries(callback.searchParams),
      headers: [['cookie', headers['set-cookie']![0]!.split(';')[0]!]],
    });
  });

  it('the sandbox of the demo', async () => {
    const demo = await Demo.start({ rate: 0 });
    const wire = new HttpClient(Number(new URL(demo.url).port));
    const token = readFileSync(join(demo.dataDir, 'demo/admin.token'), 'utf8').trim();
    const inDemo = (id: string, body?: object) =>
      examples.call(wire, id, { headers: [['authorization', `Bearer ${token}`]], ...(body && { body }) });
    try {
      await inDemo('getSandbox');
      await inDemo('changeSandboxTraffic', { events_per_second: 5 });
      await inDemo('changeSandboxFaults', { api_slow: true });
      await inDemo('emitSandboxEvent', { type: 'deal.updated', data: deal(42) });
    } finally {
      wire.close();
      await demo.close();
    }
  });

  it('and the examples fit their schemas, and hold nothing of the machine that recorded them', () => {
    const hosts = {
      [receiver.port]: 'billing',
      [failing.port]: 'crm',
      [new URL(switchboard.upstream.baseUrl).port]: 'copilot',
    };
    // The document that was read has the examples of before.
    if (process.env['WRITE_CLIENT']) return writeFileSync(FILE, examples.text(hosts, switchboard.dataDir));
    expect(api.operations.filter(({ operation }) => !examples.has(operation.operationId))).toEqual([]);
    for (const { operation } of api.operations) {
      const { operationId, requestBody, responses } = operation;
      const contents = [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      );
      const given = contents.filter(({ examples: found }) => found !== undefined);
      const faults = given.flatMap(({ schema = {}, examples: found }) =>
        api.errorsOf(schema, found!.recorded.value),
      );
      expect({ operationId, faults }).toEqual({ operationId, faults: [] });
      if (examples.has(operationId) && requestBody !== undefined)
        expect({ operationId, given }).not.toEqual({ operationId, given: [] });
    }
    const text = readFileSync(FILE, 'utf8');
    const known = [
      switchboard.adminToken,
      switchboard.webhook.secret,
      '127.0.0.1:',
      'localhost',
      '/tmp/',
      '/shm/',
    ];
    expect(known.filter((one) => text.includes(one))).toEqual([]);
  });
});
