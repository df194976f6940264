import {
  accessibilityViolations,
  focusIsOnPage,
  holdRequests,
  load,
  press,
  show,
} from '../../support/browser/dashboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { daemon, deadLetters, notify, ordered, page, rejecting } from './hub';

/** The request for the list of targets. */
const TARGETS_LIST = /\/api\/v1\/targets\?/;

const offers = () => page.getByRole('region', { name: 'Targets that respond again' });

/** Lets five deliveries fail, then one succeed, and opens the overview. */
async function failAndRecover(): Promise<void> {
  rejecting.respondWith(404);
  const before = (await deadLetters('&error=404')).length;
  for (let i = 0; i < 5; i += 1) await notify('task.created');
  await until('the last has failed', async () => (await deadLetters('&error=404')).length === before + 5);
  rejecting.respondWith(204);
  const id = await notify('contact.created');
  await until('it arrives', () => rejecting.of(id).length === 1);
  await show(page, '/');
}

export function recovery(): void {
  it('warns that a retry to an ordered target is out of order before sending it', async () => {
    const [letter] = await deadLetters('&error=500');
    ordered.respondWith(204);
    const release = await holdRequests(page, TARGETS_LIST);
    await load(page, `/events/${letter!.event_id}`);
    const retry = page.getByRole('button', { name: 'Retry delivery to in order' });
    await press(retry);
    expect(await retry.getAttribute('aria-disabled')).toBe('true');
    await release();
    await until('the order is known', async () => (await retry.getAttribute('aria-disabled')) === null);
    await press(retry);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('newer events may already have been delivered').waitFor();
    expect(ordered.of(letter!.event_id)).toHaveLength(1);
    await press(dialog.getByRole('button', { name: 'Retry out of order' }));
    await page.getByText('Out of order', { exact: true }).waitFor();
    await until('it arrives', () => ordered.of(letter!.event_id).length === 2);
    await page.getByText('1 of 1 target delivered').waitFor();
    expect(await page.getByRole('button', { name: /^Retry delivery/ }).count()).toBe(0);
    await until('the focus is on the page', () => focusIsOnPage(page));
  });

  it('is offered its dead letters on every screen, until the offer is dismissed', async () => {
    await failAndRecover();
    await offers().getByText('rejecting responds again: retry 5?').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await press(offers().getByRole('button', { name: 'Dismiss the offer for rejecting' }));
    await offers().waitFor({ state: 'detached' });
    const traffic = page.waitForResponse(/stats\/targets$/);
    await show(page, '/targets');
    await traffic;
    expect(await offers().count()).toBe(0);
  });

  it('is offered them again after another failure, and gets them', async () => {
    await failAndRecover();
    const before = rejecting.hits.length;
    await press(offers().getByRole('button', { name: 'Retry 10', exact: true }));
    await page.getByText('10 dead letters queued for rejecting again.').waitFor();
    await until('all arrive', () => rejecting.hits.length === before + 10);
    await until('none is left', async () => (await deadLetters('&error=404')).length === 0);
    await offers().waitFor({ state: 'detached' });
  });

  it('does not get them while it is gone', async () => {
    const gone = await RecordingTarget.start(410);
    const { id } = await daemon.addTarget('gone', gone.url);
    await notify('agent.triggered');
    await until('it is gone', async () => (await deadLetters(`&target=${id}`)).length === 1);
    await show(page, `/failures?target=${id}`);
    const retries = page.getByRole('button', { name: /^Retry (it|1 for gone: .*)$/ });
    await until('nothing can be retried', async () => {
      const disabled = await retries.evaluateAll((all) => all.map((one) => one.ariaDisabled));
      return disabled.join() === 'true,true';
    });
    gone.respondWith(204);
    await daemon.request('PATCH', `/targets/${id}`, { enabled: true });
    await notify('agent.triggered');
    await page
      .getByText('The target is enabled again: retry these deliveries. It has accepted deliveries since.')
      .waitFor();
    await daemon.request('DELETE', `/targets/${id}`);
    await gone.close();
  });
}
