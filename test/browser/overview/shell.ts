import { hasFocus, prefer, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { card, daemon, headline, notify, page } from './hub';

const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

export function overviewShell(): void {
  it('shows what flows from Co-Pilot to each target, as a drawing and as text', async () => {
    const topology = page.getByRole('region', { name: 'Topology' });
    await topology.locator('svg').getByText('orders', { exact: true }).waitFor();
    const text = topology.getByRole('listitem');
    await text.filter({ hasText: /^Co-Pilot: Connected( · .* events\/s)?$/ }).waitFor({ state: 'attached' });
    await text.filter({ hasText: /^orders: Active( · .* attempts\/s)?$/ }).waitFor({ state: 'attached' });
    for (let n = 0; n < 10; n += 1) await notify(`Flowing ${n}`);
    await page.reload();
    await text.filter({ hasText: /^orders: Active · 0\.[1-9] attempts/ }).waitFor({ state: 'attached' });
    const dots = topology.locator('svg circle[style*=offset]');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await dots.first().waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // Well before the attempts are too old to count.
    await until('nothing moves', async () => (await dots.count()) === 0);
    await topology.locator('svg').getByText('orders', { exact: true }).click();
    await page.getByRole('heading', { name: 'orders' }).waitFor();
    await show(page, '/');
  });

  it('shows a lost connection, and newer events after reconnecting', async () => {
    // Which loads the code of both screens.
    for (const path of ['/targets', '/']) await show(page, path);
    await daemon.stop();
    await headline('Can’t reach Switchboard');
    // On every screen, in place of colours that say how things are.
    const note = page.getByRole('status').filter({ hasText: /^Not up to date/ });
    await page.getByRole('link', { name: 'Targets', exact: true }).click();
    await note.waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await note.waitFor();
    await daemon.restart();
    await note.waitFor({ state: 'detached' });
    await notify('Sent while the page was away');
    await headline('All systems operational');
    await page
      .getByRole('region', { name: 'Latest events' })
      .getByText('Sent while the page was away')
      .waitFor();
  });

  it('shows times in the local time zone or in UTC, and remembers the choice', async () => {
    const time = page.getByRole('region', { name: 'Latest events' }).locator('time').first();
    await time.waitFor();
    expect(await time.getAttribute('title')).toMatch(/ \+09:00$/);
    await prefer(page, 'UTC');
    await until(
      'times are in UTC',
      async () => (await time.getAttribute('title'))?.endsWith(' UTC') === true,
    );
    await page.reload();
    await time.waitFor();
    const [shown, exact] = [await time.getAttribute('title'), await time.getAttribute('datetime')];
    expect(shown?.slice(0, 23).replace(' ', 'T')).toBe(exact?.slice(0, 23));
    await prefer(page, 'Local');
    await until(
      'times are local again',
      async () => (await time.getAttribute('title'))?.endsWith('09:00') === true,
    );
  });

  it('can be used by keyboard: j and k, g and a letter, and ? for help', async () => {
    await card('orders').waitFor();
    await page.keyboard.press('j');
    await until('the first row has the focus', async () => (await focused()) === 'orders');
    await page.keyboard.press('j');
    expect(await focused()).toContain('deal.updated');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orders' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL(/\/replays$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to Overview').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.waitForURL(/\/events$/);
    const search = page.getByLabel('Text in the payload');
    await until(
      'the search has the focus',
      async () => (await search.count()) === 1 && (await hasFocus(search)),
    );
    // Keys typed into a field are not shortcuts.
    await search.blur();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
}
