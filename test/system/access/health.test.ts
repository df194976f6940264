import { HealthChecks } from '../../../src/relay/diagnostics/health-checks';
import { Hub } from './start-hub';

let hub: Hub;
beforeEach(async () => {
  hub = await Hub.start();
});
afterEach(() => hub.stop());

it('everybody may ask, and hears no more than that all is well', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await hub.ask(path);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"status":"ok"}');
  }
});

it('the operator hears what was looked at', async () => {
  hub.app.get(HealthChecks).add({ name: 'dispatcher', check: () => Promise.resolve(true) });
  const checks = [
    { name: 'database', ok: true },
    { name: 'dispatcher', ok: true },
  ];
  for (const headers of [hub.bearer, await hub.logIn()]) {
    expect((await hub.ask('/readyz', { headers })).json).toEqual({ status: 'ok', checks });
  }
  const rebound = { ...(await hub.logIn()), host: 'evil.example' };
  expect((await hub.ask('/readyz', { headers: rebound })).text).toBe('{"status":"ok"}');
});

it('is not ready while a part does not work, or fails when asked', async () => {
  let running = false;
  const checks = hub.app.get(HealthChecks);
  checks.add({ name: 'dispatcher', check: () => Promise.resolve(running) });
  checks.add({
    name: 'lease',
    check: () => (running ? Promise.resolve(true) : Promise.reject(new Error('gone'))),
  });
  const refused = await hub.ask('/readyz');
  expect(refused).toMatchObject({ status: 503, json: { code: 'not_ready' } });
  expect(refused.headers['retry-after']).toBe('5');
  expect(refused.json).not.toHaveProperty('errors');
  expect((await hub.ask('/readyz', { headers: hub.bearer })).json).toMatchObject({
    errors: [
      { path: 'dispatcher', message: expect.any(String) },
      { path: 'lease', message: expect.any(String) },
    ],
  });
  expect((await hub.ask('/healthz')).status).toBe(200);

  running = true;
  hub.clock.time += 1_000;
  expect((await hub.ask('/readyz')).status).toBe(200);
});

it('is not ready while the database cannot be written', async () => {
  const change = jest.spyOn(hub.journal, 'change').mockRejectedValue(new Error('disk full'));
  expect((await hub.ask('/readyz')).status).toBe(503);
  change.mockRestore();
  hub.clock.time += 1_000;
  expect((await hub.ask('/readyz')).status).toBe(200);
});
