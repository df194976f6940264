import { panel, show } from '../../support/browser/dashboard';
import { ListenerProcess } from '../../support/fakes/listener-process';
import { daemon, notify, page, targetNamed } from './hub';

export function listenerOfTarget(): void {
  it('is created without an address, and shown with the command to start, and with its program', async () => {
    await show(page, '/targets/new');
    await page.getByRole('textbox', { name: 'Name' }).fill("Anna's laptop");
    await page.getByRole('radio', { name: 'To a program that connects' }).check();
    expect(await page.getByRole('textbox', { name: 'Address' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add target' }).click();
    const command = /switchboard listen --hub http:\S+ --name 'Anna'\\''s laptop' --forward-to http:\S+/;
    await page.getByText(command).waitFor();
    const { id, policy } = await targetNamed("Anna's laptop");
    expect(policy).toMatchObject({ ordering: 'entity', breaker: null, concurrency: 4 });

    await notify(1);
    await show(page, `/targets/${id}`);
    await panel(page, 'Status').getByText('Offline: 1 delivery queued').waitFor();
    await panel(page, 'Listener').getByText(command).waitFor();
    await show(page, '/targets');
    await page
      .getByRole('row', { name: /Anna's laptop/ })
      .getByText('Offline', { exact: true })
      .waitFor();

    const process = await ListenerProcess.start(daemon.url, daemon.token, { target: id });
    await show(page, `/targets/${id}`);
    const listener = panel(page, 'Listener');
    await listener.getByText('127.0.0.1').waitFor();
    await listener.getByText('http://localhost:3000/').waitFor();
    await panel(page, 'Status').getByText('Receiving and delivering events.').waitFor();
    process.close();
    await panel(page, 'Status').getByText('Offline').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'renamed' }).waitFor();
  });
}
