import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { BrowserSession } from '../../support/browser/browser-session';
import { show } from '../../support/browser/dashboard';

export const backupDir = mkdtempSync(`${tmpdir()}/switchboard-backups-`);
export let session: BrowserSession;
export let page: Page;

/** Starts a hub with one target and a folder for backups, and shows its settings before each test. */
export function shareHub(): void {
  beforeAll(async () => {
    session = await BrowserSession.open({
      connected: false,
      environment: {
        SWITCHBOARD_RETENTION_BYTES: '500000000',
        SWITCHBOARD_BACKUP_DIR: backupDir,
        SWITCHBOARD_BACKUP_KEEP: '3',
        SWITCHBOARD_TARGETS: 'ready=http://127.0.0.1:9/',
      },
    });
    await enter();
  });

  afterAll(async () => {
    await session?.close();
    rmSync(backupDir, { recursive: true });
  });

  beforeEach(async () => {
    if (!page.url().endsWith('/settings')) await show(page, '/settings');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await entries().first().waitFor();
  });
}

/** Signs in with a new page. */
export async function enter(): Promise<void> {
  ({ page } = await session.enter({ permissions: ['clipboard-read', 'clipboard-write'] }));
}

/** Those of the audit log. */
export const entries = () => page.getByRole('list', { name: 'Entries' }).getByRole('listitem');
