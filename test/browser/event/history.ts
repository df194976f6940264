import { accessibilityViolations, panel, press, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { inOneLine, open, page, send } from './hub';

const changesOf = (place: number, screen = page) =>
  screen.getByRole('main').locator('ol > li').nth(place).locator('ul > li').allInnerTexts();

const payloadWithManyFields = (value: number) =>
  JSON.stringify({ id: 44, ...Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}`, value])) });

export function history(): void {
  const states = [
    '{"id":42,"status_id":3,"owner":null,"seq":9007199254740992}',
    '{"id":42,"status_id":4,"owner":null,"seq":9007199254740993}',
    '{"id":42,"status_id":4,"seq":9007199254740993,"tags":["vip"]}',
  ];
  let ids: string[];
  beforeAll(async () => {
    ids = [];
    for (const state of states) ids.push(await send(state));
  });

  it('is shown on the event’s page, field by field, from that event back', async () => {
    await open(ids[1]!);
    const changed = panel(page, 'What changed');
    await changed.getByText('First stored event.').waitFor();
    await changed.locator('ul > li').first().waitFor();
    expect(inOneLine(await changed.locator('ul > li').allInnerTexts())).toEqual([
      'seq 9007199254740992 → changed to 9007199254740993',
      'status_id 3 → changed to 4',
    ]);
  });

  it('has its own page, newest first, and distinguishes null from missing', async () => {
    await open(ids[2]!);
    await page.getByRole('link', { name: 'All events of deal:42' }).click();
    await page.waitForURL(/\/entities\/deal:42$/);
    await page.getByRole('heading', { name: 'deal:42', level: 1 }).waitFor();
    await page.getByText('First stored event.').waitFor();
    await panel(page, 'Events').getByText('status_id').waitFor();
    await panel(page, 'Events').getByText('tags').waitFor();
    expect(inOneLine(await changesOf(0))).toEqual(['owner removed null', 'tags added ["vip"]']);
    expect(inOneLine(await changesOf(1))).toEqual([
      'seq 9007199254740992 → changed to 9007199254740993',
      'status_id 3 → changed to 4',
    ]);
  });

  it('shows the record as it was at any time, and what changed between two times, by keyboard', async () => {
    await show(page, '/entities/deal:42');
    const past = panel(page, 'Record at any time');
    const record = past.getByRole('tree');
    const changes = async () => inOneLine(await past.locator('ul > li').allInnerTexts());
    // The record is shown once.
    await panel(page, 'State now').getByRole('treeitem', { name: 'status_id: 4' }).waitFor();
    await past.getByText('is the current state, shown above.').waitFor();
    expect(await record.count()).toBe(0);
    await until('the newest is compared with the one before', async () => {
      return (await changes()).join() === 'tags added ["vip"],owner removed null';
    });
    const to = past.getByRole('slider', { name: 'As of' });
    await to.focus();
    await page.keyboard.press('Home');
    await record.getByRole('treeitem', { name: 'status_id: 3' }).waitFor();
    expect(await to.getAttribute('aria-valuetext')).toMatch(/^\d{4}-.*, deal.updated$/);
    await page.keyboard.press('ArrowRight');
    await record.getByRole('treeitem', { name: 'seq: 9007199254740993' }).waitFor();
    await page.keyboard.press('End');
    await past.getByRole('slider', { name: 'Compared with' }).focus();
    await page.keyboard.press('Home');
    await until('the first is compared with the last', async () => (await changes()).length === 4);
    expect((await changes())[0]).toBe('status_id 3 → changed to 4');
    expect(await accessibilityViolations(page, '#main')).toEqual([]);
  });

  it('says that newer events have arrived, and shows them on request', async () => {
    await show(page, '/entities/deal:42');
    await page.getByText('First stored event.').waitFor();
    // After connecting, a page reloads its lists, so an event that arrives meanwhile is shown immediately.
    await page.waitForLoadState('networkidle');
    await send('{"id":42,"status_id":5,"seq":9007199254740993,"tags":["vip"]}');
    await press(page.getByRole('button', { name: 'Show 1 newer event' }));
    await page.getByRole('button', { name: 'Show 1 newer event' }).waitFor({ state: 'detached' });
    await panel(page, 'Events').getByText('status_id').nth(1).waitFor();
    expect(inOneLine(await changesOf(0))).toEqual(['status_id 4 → changed to 5']);
  });

  it('is paged, and compares each event with the previous one across pages', async () => {
    for (let n = 0; n < 45; n += 1) await send(`{"id":43,"n":${n}}`);
    await show(page, '/entities/deal:43');
    const rows = page.getByRole('list', { name: 'Events' }).locator('> li');
    await until('the first page is shown', async () => (await rows.count()) === 20);
    while (await page.getByRole('button', { name: 'Show older' }).isVisible()) {
      const count = await rows.count();
      await page.getByRole('button', { name: 'Show older' }).click();
      await until('older events are shown', async () => (await rows.count()) > count);
    }
    await until('all are compared', async () => (await rows.locator('ul > li').count()) === 44);
    const all = inOneLine(await rows.locator('ul > li').allInnerTexts());
    expect(all).toEqual(Array.from({ length: 44 }, (_, back) => `n ${43 - back} → changed to ${44 - back}`));
  });

  it('shortens a large difference', async () => {
    await send(payloadWithManyFields(1));
    await send(payloadWithManyFields(2));
    await send(JSON.stringify({ id: 44, large: 'x'.repeat(150_000) }));
    await show(page, '/entities/deal:44');
    const first = page.getByRole('list', { name: 'Events' }).locator('> li').first();
    await first.getByRole('button', { name: 'Show 100 more of 113' }).click();
    await first.getByRole('button', { name: 'Show 13 more' }).click();
    await first.getByText('large').waitFor();
    const second = page.getByRole('list', { name: 'Events' }).locator('> li').nth(1);
    await second.getByRole('button', { name: 'Show 100 more of 112' }).click();
    await second.getByRole('button', { name: 'Show 12 more' }).click();
    expect(await second.locator('ul > li').count()).toBe(120);
  });

  it('explains entities if none is stored, whatever its name', async () => {
    await show(page, `/entities/${encodeURIComponent('deal:<b>/?#%')}`);
    await page.getByRole('heading', { name: 'No stored events for deal:<b>/?#%' }).waitFor();
  });
}
