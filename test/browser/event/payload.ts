import { readFileSync } from 'node:fs';
import { hasFocus, horizontalOverflow, panel } from '../../support/browser/dashboard';
import { SIGNATURE_HEADER } from '../../support/fakes/copilot';
import { copied, open, page, send, tree, upstream } from './hub';

const row = (name: string | RegExp) => tree().getByRole('treeitem', { name });

export function payload(): void {
  it('is a tree with arrow-key navigation, which collapses and copies paths and values', async () => {
    await open(await send('{"id":1,"tags":["new","vip"],"owner":{"first.name":"Ada"}}'));
    await row(/^Payload/).focus();
    await page.keyboard.press('End');
    expect(await hasFocus(row('first.name: "Ada"'))).toBe(true);
    await page.getByRole('button', { name: 'Copy path' }).click();
    expect(await copied()).toBe('data.owner.first\\.name');
    await page.getByRole('button', { name: 'Copy value' }).click();
    expect(await copied()).toBe('Ada');

    await row('first.name: "Ada"').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await hasFocus(row(/^owner/))).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await row(/^owner/)
      .and(page.locator('[aria-expanded=false]'))
      .waitFor();
    expect(await row('first.name: "Ada"').count()).toBe(0);
    await row(/^tags/).click();
    await page.getByRole('button', { name: 'Copy value' }).click();
    expect(await copied()).toBe('["new","vip"]');
    await row('0: "new"').click();
    await page.getByRole('button', { name: 'Copy path' }).click();
    expect(await copied()).toBe('data.tags.0');
  });

  it('keeps all digits of integers that JavaScript would round', async () => {
    await open(await send('{"id":2,"budget":9007199254740993}'));
    await row('budget: 9007199254740993').click();
    await page.getByRole('button', { name: 'Copy value' }).click();
    expect(await copied()).toBe('9007199254740993');
  });

  it('is shown byte for byte, with the header of the verified signature', async () => {
    await open(await send('{ "id" : 3 }'));
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByText('"data":{ "id" : 3 }').waitFor();
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByText('signature verified').waitFor();
    const facts = await panel(page, 'Details').innerText();
    expect(facts).toContain(`HMAC-SHA256 in ${SIGNATURE_HEADER}`);
    expect(facts).toContain('Header detected automatically');
  });

  it('opens collapsed with ten thousand levels, which can be expanded', async () => {
    const levels = 10_000;
    const id = await send(`{"id":4,"deep":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`);
    await open(id);
    const rows = await tree().getByRole('treeitem').count();
    expect(rows).toBeLessThan(20);
    await row(/^a/).last().focus();
    for (let step = 0; step < 60; step += 1) await page.keyboard.press('ArrowRight');
    expect(await tree().getByRole('treeitem').count()).toBeGreaterThan(rows + 25);
    expect(await horizontalOverflow(page)).toBe(0);
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('Payload').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('opens with a megabyte of which it draws a small part, and shows more of a long list on request', async () => {
    const items = Array.from({ length: 8_000 }, (_, n) => ({ n, text: 'x'.repeat(80), more: [n, null] }));
    const id = await send(JSON.stringify({ id: 5, items, note: 'y'.repeat(50_000) }));
    await open(id);
    expect(await tree().getByRole('treeitem').count()).toBeLessThan(100);
    await row(/^items/).focus();
    await page.keyboard.press('ArrowRight');
    await row('Show 100 more of 7,900').locator('span').click();
    expect(await hasFocus(row(/^100: /))).toBe(true);
    await row('Show 100 more of 7,800').waitFor();
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByRole('button', { name: /^Show all/ }).waitFor();
    // Drawing all of it would block the page.
    expect(await page.locator('*').count()).toBeLessThan(2_000);
    expect((await page.locator('main').innerText()).length).toBeLessThan(100_000);
  });

  it('shows HTML and direction controls as text, without affecting the page', async () => {
    const name = '<img src=x onerror="document.title=\'owned\'"> \u202eevil';
    await open(await send(JSON.stringify({ id: 6, name, '\u202eyek': '\u05e9\u05dc\u05d5\u05dd' })));
    await row(String.raw`\u202eyek: "שלום"`.replace(String.raw`\u202e`, '\u202e')).waitFor();
    expect(await tree().innerText()).toContain(String.raw`\u202eyek`);
    expect(await tree().innerText()).toContain(String.raw`\u202eevil`);
    expect(await page.title()).toMatch(/^deal\.updated · .*Switchboard$/);
    // The text after the name continues to its right, whatever direction the name has.
    const shownName = page.getByText(name, { exact: true });
    const [nameBox, after] = await Promise.all([
      shownName.boundingBox(),
      page.getByText('received', { exact: false }).first().boundingBox(),
    ]);
    expect(after!.y > nameBox!.y || after!.x > nameBox!.x).toBe(true);
    expect(await shownName.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate');
  });

  it('links to the entity at Co-Pilot', async () => {
    const self = `${upstream.baseUrl}/v1/deals/7`;
    await open(await send(JSON.stringify({ id: 7, _links: { self } })));
    const link = page.getByRole('link', { name: 'Open in Co-Pilot' });
    expect(await link.getAttribute('href')).toBe(self);
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  });

  it('the payload is downloaded unchanged', async () => {
    const text = '{"id":7,  "name":"Ünverändert"}';
    const id = await send(text);
    await open(id);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.json`);
    expect(readFileSync(await download.path(), 'utf8')).toContain(text);
  });
}
