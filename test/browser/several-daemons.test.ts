import type { Browser, Page } from 'playwright-core';
import type { LoginLink } from '../../src/contract/session';
import { launchBrowser, PAGE_OPTIONS } from '../support/browser/browser';
import { APPEARS_WITHIN_MS, openLoginLink, panel, show, waitUntilLive } from '../support/browser/dashboard';
import type { Daemon } from '../support/daemon/daemon';
import { DaemonGroup } from '../support/daemon/daemon-group';
import { TcpBalancer } from '../support/fakes/tcp-balancer';
import { TestPostgres } from '../support/postgres';

const NO_LEADER = 'No daemon leads at the moment';

describe('the dashboard of two daemons, opened at the one that does not lead', () => {
  let postgres: TestPostgres;
  let balancer: TcpBalancer;
  let group: DaemonGroup;
  let leader: Daemon;
  let other: Daemon;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    balancer = await TcpBalancer.start();
    group = await DaemonGroup.start(postgres, 2, 3600, balancer.url);
    [leader, other] = group.daemons as [Daemon, Daemon];
    browser = await launchBrowser();
    balancer.origin = other.url;
    const context = await browser.newContext(PAGE_OPTIONS);
    page = await context.newPage();
    page.setDefaultTimeout(APPEARS_WITHIN_MS);
    const { body } = await other.request('POST', '/login-links');
    await openLoginLink(page, (body as LoginLink).url);
  });
  afterAll(async () => {
    await browser?.close();
    await group?.close();
    await balancer?.close();
    await postgres?.stop();
  });

  const row = ({ url }: Daemon) =>
    panel(page, 'Daemons')
      .getByRole('listitem')
      .filter({ hasText: url.replace('http://', '') });
  const attention = (text: string) =>
    page.getByRole('region', { name: 'What needs attention' }).getByText(text);

  it('lists both, of which one leads', async () => {
    await show(page, '/settings');
    await row(leader).getByText('Leads', { exact: true }).waitFor();
    await row(other).getByText('Receives', { exact: true }).waitFor();
    const [entry] = await group.list(other);
    expect(await row(leader).innerText()).toContain(entry!.id);
    expect(await row(leader).innerText()).toContain(`version ${entry!.version}`);
  });

  it('says that no daemon leads after the leader was killed, and continues by itself', async () => {
    await show(page, '/');
    await leader.kill();
    await page.getByRole('heading', { name: NO_LEADER }).waitFor();
    await page.getByRole('status').filter({ hasText: NO_LEADER }).waitFor();
    const second = await page.context().newPage();
    await second.goto(page.url());
    expect(await second.getByRole('heading').innerText()).toBe(NO_LEADER);
    await group.leader(leader);
    for (const one of [page, second]) {
      await waitUntilLive(one);
      expect(await one.getByText(NO_LEADER).count()).toBe(0);
    }
    await second.close();
  });

  it('shows the killed one as not alive, until it runs again', async () => {
    const name = leader.url.replace('http://', '');
    await attention(`Daemon ${name}`).waitFor();
    await show(page, '/settings');
    await row(leader).getByText('Not alive', { exact: true }).waitFor();
    await row(leader)
      .getByText(/^lease ended .* ago$/)
      .waitFor();
    await row(other).getByText('Leads', { exact: true }).waitFor();
    await leader.restart();
    await row(leader).getByText('Receives', { exact: true }).waitFor();
    expect(await row(leader).count()).toBe(1);
    await show(page, '/');
    await attention(`Daemon ${name}`).waitFor({ state: 'detached' });
  });
});
