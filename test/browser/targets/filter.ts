import { hasFocus, holdRequests } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { expand, field, fillNewTarget, notify, page, receiver, save, section, targetNamed } from './hub';

export function filterOfTarget(): void {
  it('builds a filter from the fields of stored payloads without JSON, and tests it with the newest match', async () => {
    await fillNewTarget('chosen');
    await page.getByRole('radio', { name: 'Selected events' }).check();
    expect(
      await page.getByRole('group', { name: /^What/ }).locator('input[type=checkbox]:checked').count(),
    ).toBe(0);
    await page.getByRole('combobox', { name: 'Patterns' }).fill('deal.*');
    await page.keyboard.press('Enter');
    await page.getByText(/, 4 would match, \d+ would not\./).waitFor();

    await expand('Filter by content');
    await page.getByRole('button', { name: 'Add condition' }).click();
    const path = page.getByLabel('Field of condition 1');
    await until('the new field has the focus', () => hasFocus(path));
    await path.fill('status_id');
    await page.getByText('None of the newest stored events has status_id.').waitFor();
    await page.getByRole('button', { name: 'Did you mean data.status_id?' }).click();
    expect(await path.inputValue()).toBe('data.status_id');
    // Without the condition, the target would receive everything.
    await expand('Filter by content');
    await path.waitFor({ state: 'hidden' });
    await field('Name').press('Enter');
    const value = page.getByLabel('Value of condition 1');
    await until('the missing value has the focus', () => hasFocus(value));
    await page.getByText('Enter a value.').waitFor();
    const suggestion = await page.locator('datalist option[value="data.status_id"]').textContent();
    expect(suggestion).toMatch(/^number: \d, \d$/);
    await page.getByLabel('Operator of condition 1').selectOption('at least');
    await page.getByLabel('Value of condition 1').fill('3');
    await page.getByText(/, 2 would match, \d+ would not\./).waitFor();

    // What is shown meanwhile is of the previous condition.
    const test = page.getByRole('button', { name: 'Send the newest match as a test' });
    expect(await test.isEnabled()).toBe(true);
    const release = await holdRequests(page, /\/filters\/preview/);
    await page.getByLabel('Value of condition 1').fill('4');
    const isOff = () => test.evaluate((button) => button.matches(':disabled, [aria-disabled=true]'));
    expect(await isOff()).toBe(true);
    await release();
    await page.getByText(/, 1 would match, \d+ would not\./).waitFor();
    await until('the button can be pressed', async () => !(await isOff()));
    await page.getByLabel('Value of condition 1').fill('3');
    await page.getByText(/, 2 would match, \d+ would not\./).waitFor();

    // The two views stay in step.
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(JSON.parse(await field('Filter').inputValue())).toEqual({ 'data.status_id': { $gte: 3 } });
    await field('Filter').fill('{"$or": [{"data.status_id": 4}, {"data.name": "nobody"}]}');
    await page.getByRole('tab', { name: 'Conditions' }).click();
    expect(await page.getByLabel('How the conditions combine').inputValue()).toBe('any');
    expect(await page.getByLabel('Value of condition 2').inputValue()).toBe('nobody');
    await page.getByRole('button', { name: 'Remove condition 2' }).click();
    await page.getByText(/, 1 would match, \d+ would not\./).waitFor();

    await page.getByRole('button', { name: 'Send the newest match as a test' }).click();
    await page.getByText(/Test delivered: HTTP 200/).waitFor();
    const [hit] = receiver.hits;
    expect(hit!.headers['switchboard-trigger']).toBe('test');
    expect(JSON.parse(String(hit!.body))).toMatchObject({ data: { name: 'Deal 4', status_id: 4 } });
    await save();
    expect(await targetNamed('chosen')).toMatchObject({
      events: ['deal.*'],
      filter: { 'data.status_id': 4 },
    });
  });

  it('shows where a filter is wrong, and which stored events it matches', async () => {
    await fillNewTarget('filtered');
    await page.getByText(/Of the last \d+ stored events, 4 would match, \d+ would not\./).waitFor();
    await expand('Filter by content');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const filter = field('Filter');
    await filter.fill('{"data.status_id": ');
    await page.getByText('Not valid JSON').first().waitFor();
    await filter.fill('{"data.status_id": {"$regex": "2"}, "$where": "1"}');
    await page.getByText('At data.status_id.$regex: unknown operator', { exact: true }).waitFor();
    await page.getByText('At $where: unknown operator').waitFor();
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Specific statuses' }).click();
    await page.getByText(/Of the last \d+ stored events, 2 would match, \d+ would not\./).waitFor();
    await page.getByText('Show the newest 2').click();
    await page.getByRole('list', { name: 'Matching events' }).getByText('Deal 3').waitFor();
    await save();
    expect((await targetNamed('filtered')).filter).toEqual({ 'data.status_id': { $in: [2, 3] } });
    await notify(1);
    await notify(2);
    await until('the matching event arrives', () => receiver.hits.length > 0);
    const bodies = receiver.hits.map(({ body }) => JSON.parse(body.toString()) as { data: object });
    expect(bodies.map(({ data }) => data)).toEqual([expect.objectContaining({ status_id: 2 })]);
  });

  it('dims a preview only while it is old, not while nothing is selected', async () => {
    await fillNewTarget('of nothing');
    await page.getByText(/stored events?, /).waitFor();
    await page.getByLabel('Selected events').check();
    const missing = page.getByText(/^Matching events appear here once/);
    await missing.waitFor();
    await until('it is not dimmed', () => missing.evaluate(({ parentElement }) => !parentElement!.ariaBusy));
  });

  it('builds a filter on changes, and shows what changed in the events that it matches', async () => {
    for (const status of [1, 9]) await notify(status, 900);
    await fillNewTarget('on changes');
    await expand('Filter by content');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Operator of condition 1').selectOption('became');
    await page.getByLabel('Field of condition 1').fill('event');
    await page.getByText('Only fields of the record, such as data.status_id, are compared').waitFor();
    await page.getByLabel('Field of condition 1').fill('data.status_id');
    await page.getByLabel('Value of condition 1').fill('9');
    await page.getByText(/, 1 would match, \d+ would not\.$/).waitFor();
    expect(await section('Filter by content').innerText()).toContain('data.status_id became 9');
    await page.getByText('Show event').click();
    const change = page.getByRole('list', { name: 'Matching events' }).getByRole('listitem').last();
    expect(await change.innerText()).toMatch(/status_id\s+1\s+→\s+changed to\s+9/);
    await page.getByLabel('Operator of condition 1').selectOption('was');
    await page.getByText(/ only because the state before is not known\.$/).waitFor();
    await page.getByLabel('Operator of condition 1').selectOption('changed');
    await save();
    expect((await targetNamed('on changes')).filter).toEqual({ 'data.status_id': { $changed: true } });
  });
}
