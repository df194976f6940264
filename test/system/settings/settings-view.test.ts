import { settings } from '../../../src/contract/settings';
import { Switchboard } from '../../support/daemon/switchboard';

let board: Switchboard;
beforeAll(async () => {
  board = await Switchboard.start({
    environment: {
      SWITCHBOARD_TARGETS: 'ready=http://127.0.0.1:9/?key=of-the-address',
      SWITCHBOARD_RETENTION_DAYS: '7',
      SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1/32, ::1/128',
    },
  });
});
afterAll(() => board.end());

it('tells what the daemon runs with, and of secrets only where they come from', async () => {
  const view = await board.read(settings, '/settings');
  expect(view).toMatchObject({
    port: board.port,
    data_dir: board.dataDir,
    secrets: { secret_key: 'generated', admin_token: 'set', copilot_client_secret: 'set' },
    copilot: { base_url: board.upstream.baseUrl, client_id: board.upstream.clientId },
    retention: { days: 7, bytes: 0, removed: 0 },
    targets: ['ready'],
    trusted_proxies: ['127.0.0.1/32', '::1/128'],
  });
  const text = JSON.stringify(view);
  for (const secret of [board.adminToken, board.upstream.clientSecret, 'of-the-address'])
    expect(text).not.toContain(secret);
});

it('tells what the database takes, and what the disk has left', async () => {
  const { disk } = await board.read(settings, '/settings');
  expect(disk.database_bytes).toBeGreaterThan(100_000);
  expect(disk.free_bytes).toBeLessThan(disk.total_bytes);
});
