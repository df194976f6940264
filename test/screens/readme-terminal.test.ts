import { join, resolve } from 'node:path';
import type { Stats } from '../../src/contract/stats';
import { launchBrowser } from '../support/browser/browser';
import { Demo } from '../support/daemon/demo';
import { until } from '../support/until';
import { terminalPage } from './terminal';

const FILE = resolve(__dirname, '../../docs/pictures/terminal.png');
const EXPLAINED = 10;

it('the picture of the README shows what the command line answers', async () => {
  const browser = await launchBrowser();
  const demo = await Demo.start({ rate: 4 });
  try {
    await until(
      'the event to explain is stored',
      async () => (await demo.ask<Stats>('GET', '/stats')).last_seq >= EXPLAINED,
    );
    const page = await browser.newPage({ deviceScaleFactor: 2 });
    const commands = [
      ['tail', '--type', 'deal.*', '--limit', '5'],
      ['explain', String(EXPLAINED)],
      ['replay', '--type', 'deal.*', '--since', '10m', '--dry-run'],
    ];
    await page.setContent(await terminalPage(join(demo.dataDir, 'demo'), commands));
    await page.locator('body').screenshot({ path: FILE });
  } finally {
    await browser.close();
    await demo.close();
  }
});
