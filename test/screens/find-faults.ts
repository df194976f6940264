import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds on this page, and by how much it is wider than its window. */
export async function findFaults(page: Page): Promise<object[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found: object[] = violations.map(({ id, nodes }) => ({ id, html: nodes[0]?.html }));
  const wider = await page.evaluate(() => {
    const main = document.querySelector('#main')!;
    return main.scrollWidth - main.clientWidth;
  });
  if (wider > 0) found.push({ wider });
  return found;
}
