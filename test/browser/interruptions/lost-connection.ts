import { load, navigationLink, show, waitUntilLive } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, enter, page } from './hub';

/** Less than the silence after which Socket.IO takes a connection for lost, less the time for content to appear. */
const SILENCE_MS = 9_000;

const lost = () => page.getByText('Connection to Switchboard lost').first();

const lostAt = () =>
  page.getByText('Not up to date: the connection').locator('time').getAttribute('datetime');

const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });

/** Makes the browser report whether it has a network. */
const report = (event: 'online' | 'offline') =>
  page.evaluate((type) => window.dispatchEvent(new Event(type)), event);

export function lostConnection(): void {
  beforeAll(async () => {
    await enter();
    await page.clock.install();
    await page.reload();
    await waitUntilLive(page);
  });

  it('a daemon that stands still is reported within ten seconds, and the page continues with it', async () => {
    process.kill(daemon.pid, 'SIGSTOP');
    try {
      await page.clock.fastForward(SILENCE_MS);
      await lost().waitFor();
    } finally {
      process.kill(daemon.pid, 'SIGCONT');
    }
    await waitUntilLive(page);
  });

  it('a screen that is not loaded yet, opened while the daemon stands still, says so too', async () => {
    process.kill(daemon.pid, 'SIGSTOP');
    try {
      await navigationLink(page, 'Settings').click();
      await page.clock.fastForward(SILENCE_MS);
      await page.getByRole('main').getByText('Not up to date: the connection').waitFor();
      await page.getByRole('main').getByText('Loading…').waitFor();
    } finally {
      process.kill(daemon.pid, 'SIGCONT');
    }
    await heading('Settings').waitFor();
  });

  it('a screen opened while the daemon is down says so, and opens by itself afterwards', async () => {
    await daemon.kill();
    await lost().waitFor();
    const since = await lostAt();
    await page.clock.fastForward(SILENCE_MS);
    await navigationLink(page, 'Connection').click();
    await heading('Screen not loaded').waitFor();
    expect(await lostAt()).toBe(since);
    await page.getByText('opens by itself once Switchboard responds again').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Switchboard still does not respond.').waitFor();
    await daemon.restart();
    await heading('Connection').waitFor();
  });

  it('a screen whose file is missing is tried again on demand', async () => {
    await show(page, '/events');
    await page.route('**/assets/settings-screen*', (route) => route.abort());
    await navigationLink(page, 'Settings').click();
    await heading('Screen not loaded').waitFor();
    // It was reloaded once by then, not for ever.
    await until('the page stays', () => page.evaluate(() => performance.now() > 1_000));
    await heading('Screen not loaded').waitFor();
    await page.unroute('**/assets/settings-screen*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Settings').waitFor();
  });

  it('a browser without a network loads screens while the daemon responds', async () => {
    await load(page, '/');
    await report('offline');
    try {
      await navigationLink(page, 'Settings').click();
      await page.getByRole('main').getByText('No tokens yet').waitFor();
    } finally {
      await report('online');
    }
  });
}
