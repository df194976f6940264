import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { openLoginLink, placeOf, show } from '../../support/browser/dashboard';
import { until } from '../../support/until';
import { daemon, page, rows, rowsAre } from './hub';

/** Inserted while the daemon is stopped. */
const STORED = 20_000;
/** Bytes per second: an export of all takes many seconds on any machine. */
const SLOW_NETWORK = 500_000;

const entityOf = (row: string) => /contact:\d+?(?=Contact)/.exec(row)?.[0];

export function manyEvents(): void {
  beforeAll(async () => {
    await daemon.stop();
    const database = new sqliteDriver(daemon.databaseFile);
    database.exec(`INSERT INTO events(seq, received_at, type, entity, name, headers, signature_header, signature_value, body)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${STORED})
      SELECT (SELECT max(seq) FROM events) + i, ${Date.now()}, 'contact.updated', 'contact:' || i, 'Contact ' || i, '[]', 'x-signature', '00',
        CAST(json_object('event', 'contact.updated', 'data', json_object('id', i, 'name', 'Contact ' || i, 'text', hex(zeroblob(100)))) AS BLOB)
      FROM n`);
    database.close();
    await daemon.restart();
    await openLoginLink(page, ((await daemon.request('POST', '/login-links')).body as { url: string }).url);
  });

  it('scrolls through thousands with few rows in the document, and restores its position', async () => {
    await show(page, '/events');
    await page.getByText(`Contact ${STORED}`).waitFor();
    const list = page.getByRole('list', { name: 'Matching events' });
    const listHeight = async () => (await placeOf(list)).height;
    for (let height = await listHeight(); height < 40 * 1_500; height = await listHeight()) {
      await list.evaluate((element) => element.parentElement!.scrollTo({ top: element.scrollHeight }));
      await until('older events are loaded', async () => (await listHeight()) > height);
    }
    expect(await rows().count()).toBeLessThan(100);
    const first = rows().nth(20).getByRole('link').first();
    const opened = entityOf((await rows().nth(20).textContent()) ?? '');
    await first.press('Enter');
    await until('the event is shown', () => Promise.resolve(page.url().includes('/events/evt_')));
    await page.goBack();
    await page
      .getByText(/Contact \d+/)
      .first()
      .waitFor();
    await until('the row is shown again', async () =>
      (await rows().allTextContents()).some((text) => entityOf(text) === opened),
    );
  });

  it('finds a single event by its text', async () => {
    await page.getByLabel('Text in the payload').fill('contact 4711"');
    await rowsAre(1);
    await page.getByRole('link', { name: 'contact:4711' }).waitFor();
  });

  it('shows the progress of an export, and saves nothing when it is cancelled', async () => {
    await show(page, '/events?type=contact.*');
    const network = await page.context().newCDPSession(page);
    const download = (downloadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        uploadThroughput: -1,
        downloadThroughput,
      });
    await download(SLOW_NETWORK);
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    await page.getByRole('button', { name: 'Export these' }).click();
    await page.getByRole('button', { name: /^NDJSON/ }).click();
    await page.getByText(/of (about )?\d\d,\d{3}, [\d.]+ [kM]B/).waitFor();
    await page.getByRole('progressbar', { name: 'Export' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Export cancelled. No file was saved.').waitFor();
    expect(downloads).toBe(0);
    await download(-1);
  });
}
