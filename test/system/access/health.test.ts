import { HealthService } from '../../../src/relay/diagnostics/health.service';
import { AccessHarness } from './access-harness';

let hub: AccessHarness;
beforeEach(async () => {
  hub = await AccessHarness.start();
});
afterEach(() => hub.dispose());

it('is open to everyone, without details', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const response = await hub.ask(path);
    expect(response.status).toBe(200);
    expect(response.text).toBe('{"status":"ok"}');
  }
});

it('shows the individual checks to operators', async () => {
  hub.app.get(HealthService).add({ name: 'dispatcher', check: () => Promise.resolve(true) });
  const checks = [
    { name: 'database', ok: true },
    { name: 'dispatcher', ok: true },
  ];
  for (const headers of [hub.bearer, await hub.logIn()]) {
    expect((await hub.ask('/readyz', { headers })).json).toEqual({
      status: 'ok',
      checks,
      health: { ok: false, issues: expect.any(Array) },
    });
  }
  const rebound = { ...(await hub.logIn()), host: 'evil.example' };
  expect((await hub.ask('/readyz', { headers: rebound })).text).toBe('{"status":"ok"}');
});

it('is not ready while a check fails or throws', async () => {
  let running = false;
  const checks = hub.app.get(HealthService);
  checks.add({ name: 'dispatcher', check: () => Promise.resolve(running) });
  checks.add({
    name: 'lease',
    check: () => (running ? Promise.resolve(true) : Promise.reject(new Error('gone'))),
  });
  const failed = await hub.ask('/readyz');
  expect(failed).toMatchObject({ status: 503, json: { code: 'not_ready' } });
  expect(failed.headers['retry-after']).toBe('5');
  expect(failed.json).not.toHaveProperty('errors');
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
