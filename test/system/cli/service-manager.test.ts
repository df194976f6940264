import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon } from '../../support/daemon/daemon';
import { openSocket } from '../../support/daemon/passed-socket';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';

let upstream: FakeCopilot;
let folder: string;
beforeAll(async () => {
  upstream = await FakeCopilot.start();
  folder = mkdtempSync(join(tmpdir(), 'switchboard-manager-'));
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

it('notifications sent while no daemon runs wait in the passed socket, and the next daemon acknowledges them', async () => {
  const socket = openSocket();
  const daemon = await Daemon.startConnected({ upstream, listenFd: socket.fd });
  const client = new WebhookSender(daemon.webhook);
  try {
    const send = (id: number) =>
      client.send(dealNotification({ id, webhookId: daemon.webhook.webhook_id }).body);
    expect((await send(1)).code).toBe('accepted');
    await daemon.stop();
    const waiting = Array.from({ length: 50 }, (_, i) => send(i + 2));
    await daemon.restart();
    const codes = (await Promise.all(waiting)).map(({ code }) => code);
    expect(codes).toEqual(waiting.map(() => 'accepted'));
  } finally {
    client.close();
    await daemon.close();
    socket.close();
  }
});

it('a passed socket that other machines can reach stops the start while HOST is loopback', async () => {
  const socket = openSocket('0.0.0.0');
  try {
    const starting = Daemon.start({ upstream, listenFd: socket.fd });
    await expect(starting).rejects.toThrow('the socket that the service manager passed listens on 0.0.0.0');
  } finally {
    socket.close();
  }
});

it('systemd is told when the daemon listens, that it is alive, and when it stops', async () => {
  const told = join(folder, 'told');
  const command = join(folder, 'systemd-notify');
  writeFileSync(command, `#!/bin/sh\necho "$1 $NOTIFY_SOCKET" >> ${told}\n`);
  chmodSync(command, 0o755);
  const environment = {
    PATH: `${folder}:${process.env['PATH']}`,
    NOTIFY_SOCKET: '/run/of/the/test',
    WATCHDOG_USEC: '200000',
  };
  const lines = () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : []);
  const daemon = await Daemon.start({ upstream, environment });
  try {
    await until('it is alive', () => lines().filter((line) => line.startsWith('WATCHDOG=1')).length > 1);
    expect(lines()[0]).toBe('READY=1 /run/of/the/test');
    await daemon.stop();
    await until('it stops', () => lines().includes('STOPPING=1 /run/of/the/test'));
  } finally {
    await daemon.close();
  }
});

it('without systemd nothing is notified, and a socket for another process is not used', async () => {
  const before = readFileSync(join(folder, 'told'), 'utf8');
  const daemon = await Daemon.start({
    upstream,
    environment: { LISTEN_PID: '1', LISTEN_FDS: '1', PATH: folder },
  });
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  await daemon.stop();
  expect(readFileSync(join(folder, 'told'), 'utf8')).toBe(before);
  await daemon.close();
});

const UNITS = join(__dirname, '../../../deploy/systemd');

/** Not every machine has systemd: elsewhere only the contents are checked, below. */
const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;

it('the units pass the checks of systemd, where it is installed', () => {
  if (!hasAnalyzer) return;
  const service = readFileSync(join(UNITS, 'switchboard.service'), 'utf8');
  // Neither the program nor Node has to be where the unit expects it.
  writeFileSync(
    join(folder, 'switchboard.service'),
    service.replace('ExecStart=node', `ExecStart=${process.execPath}`),
  );
  writeFileSync(join(folder, 'switchboard.socket'), readFileSync(join(UNITS, 'switchboard.socket'), 'utf8'));
  const { status, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', join(folder, 'switchboard.socket'), join(folder, 'switchboard.service')],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('the service has time to stop, and its socket the queue of the daemon', () => {
  const service = readFileSync(join(UNITS, 'switchboard.service'), 'utf8');
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(service)?.[1])).toBeGreaterThan(15);
  expect(service).toMatch(/^RestartPreventExitStatus=78$/m);
  expect(service).toMatch(/^Requires=switchboard\.socket$/m);
  expect(readFileSync(join(UNITS, 'switchboard.socket'), 'utf8')).toMatch(/^Backlog=4096$/m);
});
