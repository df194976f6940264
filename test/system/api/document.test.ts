import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { testOutcome } from '../../../src/contract/target-test';
import { connection } from '../../../src/contract/connection';
import { DescribedApi, type ApiDocument } from '../../support/api/described-api';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;
let receiver: RecordingTarget;
let targetId: string;

beforeAll(async () => {
  receiver = await RecordingTarget.start();
  switchboard = await Switchboard.start();
  ({ id: targetId } = await switchboard.addTarget('first', receiver.url, ['deal.created']));
});

afterAll(async () => {
  await switchboard.end();
  await receiver.close();
});

describe('the API document', () => {
  let document: ApiDocument;
  let api: DescribedApi;
  const operations = () => api.operations;

  beforeAll(async () => {
    document = (await switchboard.ask('/openapi.json')).json as ApiDocument;
    api = new DescribedApi(document);
  });

  it('names every route of the contract', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const named = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(named).toEqual(
      expect.arrayContaining([
        'GET /api/v1/events',
        'GET /api/v1/events/count',
        'GET /api/v1/events/histogram',
        'GET /api/v1/events/export',
        'GET /api/v1/events/{id}',
        'GET /api/v1/events/{id}/body',
        'POST /api/v1/events/{id}/replay',
        'GET /api/v1/targets',
        'POST /api/v1/targets',
        'GET /api/v1/targets/{id}',
        'PATCH /api/v1/targets/{id}',
        'DELETE /api/v1/targets/{id}',
        'POST /api/v1/targets/{id}/test',
        'POST /api/v1/targets/{id}/pause',
        'POST /api/v1/targets/{id}/resume',
        'GET /api/v1/deliveries',
        'GET /api/v1/deliveries/{id}',
        'POST /api/v1/deliveries/{id}/retry',
        'GET /api/v1/connection',
        'GET /api/v1/subscription',
        'GET /api/v1/stats',
        'GET /api/v1/rejections',
      ]),
    );
    const ofApi = named.filter((route) => route.includes('/api/v1/'));
    expect(ofApi.filter((route) => /openapi/.test(route))).toEqual([]);
  });

  it('is consistent: unique operation ids, all path parameters declared, all references resolved', () => {
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const declared = (operation.parameters ?? [])
        .filter((one) => one.in === 'path')
        .map(({ name }) => name);
      expect({ path, declared }).toEqual({ path, declared: inPath });
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
    }
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name] of references) expect(document.components.schemas).toHaveProperty([name!]);
  });

  it('names the filters of the list of events', () => {
    const { parameters } = document.paths['/api/v1/events']!['get']!;
    const names = parameters!.map(({ name }) => name).sort();
    expect(names).toEqual([
      'after',
      'cursor',
      'entity',
      'field',
      'include',
      'limit',
      'origin',
      'payload',
      'q',
      'seq',
      'since',
      'status',
      'target',
      'type',
      'until',
      'wait',
    ]);
  });

  it('matches actual responses', async () => {
    const event = await switchboard.emit('deal.created');
    const { deliveries } = await switchboard.event(event);
    const paths: [template: string, path: string][] = [
      ['/events', '/events?limit=3'],
      ['/events/{id}', `/events/${event}`],
      ['/targets', '/targets'],
      ['/targets/{id}', `/targets/${targetId}`],
      ['/deliveries', '/deliveries?limit=3'],
      ['/deliveries/{id}', `/deliveries/${deliveries[0]!.id}`],
      ['/connection', '/connection'],
      ['/subscription', '/subscription'],
      ['/stats', '/stats'],
      ['/rejections', '/rejections'],
    ];
    for (const [template, path] of paths) {
      const response = await switchboard.ask(path);
      const undeclared = (json: unknown) => api.undeclared('GET', `/api/v1${path}`, { ...response, json });
      expect({ template, undeclared: undeclared(response.json) }).toEqual({ template, undeclared: [] });
      expect(undeclared({})).not.toEqual([]);
    }
  });

  it('and the schemas of the contract match further responses', async () => {
    await switchboard.read(connection, '/connection');
    await switchboard.read(pageOf(target), '/targets');
    expect(
      (await switchboard.read(testOutcome, `/targets/${targetId}/test`, { method: 'POST' })).delivered,
    ).toBe(true);
  });
});
