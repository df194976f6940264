import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../../src/contract/connection';
import type { Subscription } from '../../../src/contract/subscription';
import { cookiesOf } from '../../support/cookies';
import { Daemon } from '../../support/daemon/daemon';
import { startInProcess } from '../../support/daemon/run-in-process';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

describe('the commands of the connection', () => {
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.start({ upstream });
  });
  afterEach(() => upstream.behave());
  afterAll(async () => {
    await daemon.close();
    await upstream.close();
  });

  /** Starts a command, and collects what it prints. */
  const run = (command: string, ...flags: string[]) => {
    const { printed, ended } = startInProcess([command, '--data-dir', daemon.dataDir, ...flags]);
    const address = async () => {
      await until('the address is printed', () => /http\S+/.test(printed.out));
      return /http[^\s"]+/.exec(printed.out)?.[0] ?? '';
    };
    return { ended, address };
  };
  const state = async () => (await daemon.get<Connection>('/connection')).state;
  const isRegistered = async () => (await daemon.get<Subscription>('/subscription')).state === 'active';
  const grantsStored = () => daemon.rows('SELECT id FROM grants').length;

  /** Cookies of the only browser. */
  let cookie = '';
  /** Opens the address in a browser without a session, which is logged in and led to Co-Pilot. */
  const openInBrowser = async (address: string): Promise<string> => {
    const loggedIn = await fetch(address);
    const handedOver = await loggedIn.text();
    expect(handedOver).toContain('location.replace("/oauth/connect")');
    const session = {
      cookie: cookiesOf(loggedIn),
      'x-switchboard-request': /"switchboard-session", "([^"]+)"/.exec(handedOver)![1]!,
    };
    const page = await fetch(`${daemon.url}/oauth/connect`, { headers: { cookie: session.cookie } });
    expect(await page.text()).toContain("fetch('/oauth/connect', { method: 'POST'");
    const headers = { ...session, origin: daemon.url };
    const begun = await fetch(`${daemon.url}/oauth/connect`, { method: 'POST', headers });
    cookie = cookiesOf(begun);
    return ((await begun.json()) as { url: string }).url;
  };
  const followCallback = (callback: URL) =>
    fetch(`${daemon.url}${callback.pathname}${callback.search}`, { redirect: 'manual', headers: { cookie } });

  it('connect reports that no consent was given in time: 75', async () => {
    const { code, out, err } = await run('connect', '--wait', '0.2').ended;
    expect({ code, err }).toEqual({ code: 75, err: expect.stringContaining('No consent within 0.2 s') });
    expect(out).toContain('Open this link');
  });

  it('connect reports that consent was denied: 77', async () => {
    const command = run('connect');
    const consent = new URL(await openInBrowser(await command.address()));
    const denied = await fetch(
      `${daemon.url}/oauth/callback?error=access_denied&state=${consent.searchParams.get('state')}`,
      { headers: { cookie } },
    );
    expect(denied.status).toBe(403);
    const { code, err } = await command.ended;
    expect({ code, err }).toEqual({
      code: 77,
      err: 'Not connected. Access was denied on the Co-Pilot consent page. Start again and allow access, or ask somebody who is permitted to.\n',
    });
  });

  it('connect prints the link, waits, and exits with 0 when connected', async () => {
    const command = run('connect');
    const consent = await openInBrowser(await command.address());
    await followCallback(await upstream.consent(consent));
    const { code, out, err } = await command.ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Connected. The grant is valid');
    await until('the webhook is registered', isRegistered);
  });

  it('connect does not wait if already connected', async () => {
    const { code, out } = await run('connect', '--json').ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ state: 'connected' });
  });

  it('disconnect does nothing without a terminal: 2, with the warning', async () => {
    const { code, err } = await run('disconnect').ended;
    expect(code).toBe(2);
    expect(err).toContain('events that occur\nuntil you connect again are lost');
    expect(err).toContain('Use --yes');
    expect([await state(), upstream.webhooks.size]).toEqual(['connected', 1]);
  });

  it('disconnect keeps everything while the webhook cannot be deleted: 1', async () => {
    upstream.misbehave('DELETE /v1/webhooks/:id', { status: 503 });
    const { code, err } = await run('disconnect', '--yes').ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Not disconnected: .*force/),
    });
    expect([await state(), grantsStored()]).toEqual(['connected', 1]);
  });

  it('disconnect deletes the webhook at Co-Pilot, then the tokens; connecting again registers again', async () => {
    const { code, out } = await run('disconnect', '--yes').ended;
    expect({ code, out }).toEqual({ code: 0, out: 'Switchboard is not connected to Co-Pilot.\n' });
    expect([await state(), upstream.webhooks.size, grantsStored()]).toEqual(['not_connected', 0, 0]);
    const before = upstream.on('POST /v1/webhooks').length;

    await daemon.kill();
    await daemon.restart();
    expect(await state()).toBe('not_connected');

    const command = run('connect', '--json');
    await followCallback(await upstream.consent(await openInBrowser(await command.address())));
    const lines = (await command.ended).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { url: expect.stringContaining('/login?token='), expires_at: expect.any(String) },
      expect.objectContaining({ state: 'connected' }),
    ]);
    await until('the webhook is registered', isRegistered);
    expect([upstream.webhooks.size, upstream.on('POST /v1/webhooks').length - before]).toEqual([1, 1]);
  });

  it('disconnect with force deletes the tokens anyway', async () => {
    upstream.misbehave('DELETE /v1/webhooks/:id', 'drop_request');
    const { code, out } = await run('disconnect', '--yes', '--force', '--json').ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ state: 'not_connected' });
    expect(grantsStored()).toBe(0);
  });

  it('report that no daemon is running: 69', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'switchboard-nobody-'));
    for (const command of ['connect', 'disconnect']) {
      const { code, err } = await run(command, '--data-dir', elsewhere).ended;
      expect({ code, err }).toEqual({ code: 69, err: expect.stringContaining('No daemon is running on') });
    }
    rmSync(elsewhere, { recursive: true });
  });
});
