import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { HubCommands } from '../../support/daemon/hub-commands';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { makeCertificate } from '../../support/fakes/certificates';
import { until } from '../../support/until';

let hub: Switchboard;
let commands: HubCommands;

beforeAll(async () => {
  hub = await Switchboard.start();
  commands = new HubCommands(hub);
  await hub.addTarget('shop', 'http://127.0.0.1:9/', ['*'], { policy: { retry: { delays_s: [] } } });
});

afterAll(() => hub.end());

const checksOf = (out: string) => {
  const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean | null; sentence: string }[] };
  return Object.fromEntries(checks.map(({ name, ...check }) => [name, check]));
};

describe('status of a hub elsewhere', () => {
  it('leaves out what the token may not see, and says so', async () => {
    const { code, out } = await commands.run(['status'], 'read');
    expect(code).toBe(0);
    expect(out).toMatch(/^Disk +not shown: it needs a token with the scope admin$/m);
    expect(JSON.parse((await commands.run(['status', '--json'], 'read')).out)).toMatchObject({ disk: null });
    expect((await commands.run(['status'])).out).toMatch(/^Disk +\d/m);
  });

  it('ends with 3 with --check while something needs attention', async () => {
    expect((await commands.run(['status', '--check'])).code).toBe(0);
    await hub.emit('deal.created', { id: 1 });
    const needsAttention = async () => !((await hub.ask('/health')).json as { ok: boolean }).ok;
    await until('there is a dead letter', needsAttention);
    const { code, out } = await commands.run(['status', '--check']);
    // As an alert, or before that is raised as the count.
    expect({ code, out }).toEqual({ code: 3, out: expect.stringMatching(/^Issue +critical.*dead letter/) });
  });
});

describe('doctor of a hub elsewhere', () => {
  it('checks the way to it and what it knows, and lists local checks as skipped', async () => {
    const { out } = await commands.run(['doctor', '--json'], 'operate');
    const checks = checksOf(out);
    expect(checks).toMatchObject({
      DATA_DIR: { ok: null, sentence: expect.stringMatching(/^Skipped/) },
      certificate: { ok: null },
      hub: { ok: true, sentence: expect.stringMatching(/answers in \d+ ms\. It has version/) },
      token: { ok: true, sentence: expect.stringContaining('"operate"') },
      socket: { ok: true },
      reachability: { ok: expect.any(Boolean) },
      targets: { ok: null, sentence: expect.stringMatching(/^Skipped: .*admin/) },
      backup: { ok: null, sentence: expect.stringMatching(/^Skipped: .*backup/) },
    });
  });

  it('skips what the token may not do, which is no problem', async () => {
    const checks = checksOf((await commands.run(['doctor', '--json'], 'read')).out);
    expect(checks['reachability']).toMatchObject({
      ok: null,
      sentence: expect.stringMatching(/^Skipped: .*operate/),
    });
  });

  it('reports a token that the hub does not accept, and ends there', async () => {
    const { code, out } = await commands.run(['doctor'], 'wrong');
    expect(code).toBe(1);
    expect(out.trimEnd().split('\n').at(-2)).toMatch(/^problem +hub +/);
  });

  describe('behind TLS', () => {
    const config = mkdtempSync(join(tmpdir(), 'switchboard-tls-'));
    let proxy: Server;

    beforeAll(async () => {
      const { key, cert } = makeCertificate({ name: 'localhost' });
      proxy = createServer({ key, cert }, (socket) => {
        const upstream = connect(hub.port, '127.0.0.1');
        socket.on('error', () => upstream.destroy()).pipe(upstream);
        upstream.on('error', () => socket.destroy()).pipe(socket);
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const folder = join(config, 'switchboard');
      mkdirSync(folder);
      writeFileSync(join(folder, 'ca.pem'), cert);
      const profile = {
        hub: `https://localhost:${(proxy.address() as AddressInfo).port}`,
        token: hub.adminToken,
        token_command: null,
        ca_file: join(folder, 'ca.pem'),
      };
      writeFileSync(
        join(folder, 'profiles.json'),
        JSON.stringify({ current: 'tls', profiles: { tls: profile } }),
      );
      chmodSync(join(folder, 'profiles.json'), 0o600);
    });

    afterAll(() => {
      proxy.close();
      rmSync(config, { recursive: true });
    });

    it('shows the names and the days left of the certificate, and warns in time', async () => {
      const { code, out } = await runInProcess(['doctor', '--profile', 'tls', '--json'], {
        XDG_CONFIG_HOME: config,
      });
      expect(code).toBe(1);
      expect(checksOf(out)).toMatchObject({
        certificate: { ok: false, sentence: expect.stringMatching(/^localhost: [01] days left/) },
        hub: { ok: true },
        socket: { ok: true },
      });
    });
  });
});
