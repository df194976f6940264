import { join, resolve } from 'node:path';
import { launchBrowser } from '../support/browser/browser';
import { Demo } from '../support/daemon/demo';
import { terminalPage } from './terminal';

const FILE = resolve(__dirname, '../../docs/pictures/terminal.png');

it('the picture of the README shows what the command line answers', async () => {
  const browser = await launchBrowser();
  const demo = await Demo.start({ rate: 4 });
  try {
    const page = await browser.newPage({ deviceScaleFactor: 2 });
    const commands = [
      ['tail', '--type', 'deal.*', '--limit', '5'],
      ['explain', '10'],
      ['replay', '--type', 'deal.*', '--since', '10m', '--dry-run'],
    ];
    await page.setContent(await terminalPage(join(demo.dataDir, 'demo'), commands));
    await page.locator('body').screenshot({ path: FILE });
  } finally {
    await browser.close();
    await demo.close();
  }
});
