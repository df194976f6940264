import { Command } from 'commander';
import type { LoginLink } from '../contract/session';
import { DaemonClient } from './daemon-client';
import { jsonLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

export function loginLinkCommand(): Command {
  const command = new Command('login-link')
    .description('print a link that logs in one browser, once, within 15 minutes')
    .option('--json', 'print JSON');
  return withSettings(command, ['dataDir']).action(loginLink);
}

async function loginLink({ json, ...flags }: SettingsFlags & { json?: boolean }): Promise<void> {
  const link = await new DaemonClient(environmentWith(flags)).request<LoginLink>(
    'POST',
    '/api/v1/login-links',
  );
  process.stdout.write(`${json ? jsonLine(link) : link.url}\n`);
}
