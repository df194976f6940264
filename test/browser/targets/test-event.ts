import { accessibilityViolations, load, navigationLink, panel, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { addTarget, daemon, notify, page, receiver, targetNamed } from './hub';

export function testEvents(): void {
  it('are composed from the newest event, matched with all targets while typing, and sent to one', async () => {
    await notify(4);
    await show(page, '/targets/test');
    await panel(page, 'Targets').getByRole('link', { name: 'Add a target' }).waitFor();
    await addTarget({ name: 'won', url: receiver.url, filter: { 'data.status_id': 9 } });
    await addTarget({ name: 'tasks only', url: receiver.url, events: ['task.*'] });
    await load(page, '/targets/test');
    const data = page.getByLabel('data', { exact: true });
    await until('the newest deal is there', async () => (await data.inputValue()).includes('"status_id": 4'));
    const targets = panel(page, 'Targets').getByRole('listitem');
    const won = targets.filter({ hasText: 'won' });
    await won.getByText('data.status_id must be 9, but it is 4').waitFor();
    await targets.filter({ hasText: 'tasks only' }).getByText('It does not receive deal.updated').waitFor();
    await data.fill('{"id": 9007199254740993, "status_id": 9}');
    await won.getByText('Receives it').waitFor();
    await won.getByRole('button', { name: 'Send to won' }).click();
    await won.getByText('Test delivered').waitFor();
    expect(receiver.hits[0]!.body.toString()).toContain('"data":{"id": 9007199254740993, "status_id": 9}');
    await daemon.request('POST', `/targets/${(await targetNamed('won')).id}/pause`);
    await won.getByText('Queues it').waitFor();
    await data.fill('{');
    await page.getByText('This is not JSON').waitFor();
    await panel(page, 'Targets').getByText('is known once the data is JSON').waitFor();
    expect(await won.getByText('Queues it').count()).toBe(0);
    expect(await won.getByRole('button', { name: 'Send to won' }).getAttribute('aria-disabled')).toBe('true');
    // Its reason is shown while the mouse is over the button.
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByLabel('Type').selectOption('task.created');
    await until('it is the same text', async () => (await data.inputValue()) === '{');
    await navigationLink(page, 'Events').click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Use the sample again' }).click();
    await navigationLink(page, 'Events').click();
    await page.waitForURL(/\/events$/);
  });
}
