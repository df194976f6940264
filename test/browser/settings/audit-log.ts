import type { TargetCreated } from '../../../src/contract/target';
import { panel, press } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { entries, page, session } from './hub';

/** Whether the log contains only the entries of the test setup. */
const hasOnlySetupEntries = async () => {
  const texts = await entries().allInnerTexts();
  return (
    texts.length === 2 && /Login link created/.test(texts[0]!) && /Target created\s+ready/.test(texts[1]!)
  );
};

export function auditLog(): void {
  it('is filtered by actor, action, time and secrets, with a shareable URL', async () => {
    await panel(page, 'Audit log').getByLabel('Who').selectOption('Switchboard');
    await until('only what Switchboard did', hasOnlySetupEntries);
    expect(new URL(page.url()).search).toBe('?who=switchboard');
    await page.reload();
    await until('the same after a reload', hasOnlySetupEntries);
    await panel(page, 'Audit log').getByLabel('What').selectOption('API tokens');
    await page.getByText('No entries match the filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Only entries where a secret was shown').check();
    await page.getByLabel('When').selectOption('Last hour');
    expect(new URL(page.url()).search).toBe('?within=hour&secrets=shown');
    await until('only secrets', async () => {
      const texts = await entries().allInnerTexts();
      return texts.length > 0 && texts.every((text) => text.includes('Secret shown'));
    });
  });

  it('shows older entries page by page', async () => {
    const { body } = await session.daemon.request('POST', '/targets', {
      name: 'often changed',
      url: 'http://127.0.0.1:9/',
      events: ['*'],
    });
    const { id } = body as TargetCreated;
    for (let i = 0; i < 17; i += 1)
      for (const act of ['pause', 'resume']) await session.daemon.request('POST', `/targets/${id}/${act}`);
    await page.reload();
    await until('one page', async () => (await entries().count()) === 30);
    await press(page.getByRole('button', { name: 'Show older' }));
    await until('the next', async () => (await entries().count()) > 30);
    await entries()
      .filter({ hasText: /Target created\s*often changed/ })
      .waitFor();
  });
}
