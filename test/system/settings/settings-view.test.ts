import { daemons } from '../../../src/contract/daemon';
import { settings } from '../../../src/contract/settings';
import { VERSION } from '../../../src/relay/ground/version';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start({
    environment: {
      SWITCHBOARD_TARGETS: 'ready=http://127.0.0.1:9/?key=of-the-address',
      SWITCHBOARD_RETENTION_DAYS: '7',
      SWITCHBOARD_BACKUP_KEEP: '3',
      SWITCHBOARD_KEEP_ALIVE_S: '600',
      SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1/32, ::1/128',
    },
  });
});
afterAll(() => switchboard.end());

it('shows the active settings, but of secrets only their source', async () => {
  const view = await switchboard.read(settings, '/settings');
  expect(view).toMatchObject({
    name: `localhost:${switchboard.port}`,
    port: switchboard.port,
    data_dir: switchboard.dataDir,
    secrets: {
      secret_key: process.env['TEST_ENGINE'] === 'postgres' ? 'set' : 'generated',
      admin_token: 'set',
      copilot_client_secret: 'set',
      metrics_token: 'none',
      auth_secret_header: 'none',
    },
    copilot: { base_url: switchboard.upstream.baseUrl, client_id: switchboard.upstream.clientId },
    retention: { days: 7, entity_days: 365, bytes: 0, removed: 0 },
    backup: { dir: null, keep: 3 },
    targets: ['ready'],
    changed: expect.arrayContaining(['SWITCHBOARD_RETENTION_DAYS', 'SWITCHBOARD_BACKUP_KEEP']),
    keep_alive_s: 600,
    trusted_proxies: ['127.0.0.1/32', '::1/128'],
  });
  const { headers } = await switchboard.ask('/settings');
  expect(headers['keep-alive']).toBe('timeout=600');
  expect(view.changed).not.toContain('SWITCHBOARD_ENTITY_DAYS');
  const text = JSON.stringify(view);
  for (const secret of [switchboard.adminToken, switchboard.upstream.clientSecret, 'of-the-address'])
    expect(text).not.toContain(secret);
});

it('shows the size of the database and the free disk space', async () => {
  const { disk } = await switchboard.read(settings, '/settings');
  expect(disk.database_bytes).toBeGreaterThan(100_000);
  expect(disk.free_bytes ?? 0).toBeLessThan(disk.total_bytes ?? 1);
});

it('lists the daemons of the database: one that leads', async () => {
  const [only, ...others] = await switchboard.read(daemons, '/daemons');
  expect(others).toEqual([]);
  expect(only).toMatchObject({ address: switchboard.origin, version: VERSION, leader: true, targets: 1 });
  expect(Date.parse(only!.alive_until)).toBeGreaterThan(switchboard.clock.now());
});
