import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import type { Connection } from '../contract/connection';
import { CommandFailed } from './command-failed';
import { DaemonClient } from './daemon-client';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

const WARNING = `This deletes the webhook at Co-Pilot and the stored tokens. Co-Pilot then stops sending notifications: events that occur
until you connect again are lost. Stored events are kept and still delivered. To stop only deliveries, pause the targets.`;

const EXIT_CODES = `
Exit codes:
  0   disconnected
  1   not disconnected; the message says why
  2   no terminal to confirm on: use --yes
  69  the daemon is not running or does not respond`;

interface DisconnectFlags extends SettingsFlags {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

export function disconnectCommand(): Command {
  const command = new Command('disconnect')
    .description('delete the webhook at Co-Pilot and the stored tokens')
    .option('--yes', 'skip the confirmation')
    .option('--force', 'delete the tokens even if the webhook cannot be deleted at Co-Pilot')
    .option('--json', 'print the connection as JSON')
    .addHelpText('after', EXIT_CODES);
  return withSettings(command, ['dataDir']).action(disconnect);
}

async function disconnect({ yes, force = false, json, ...flags }: DisconnectFlags): Promise<void> {
  const daemon = new DaemonClient(environmentWith(flags));
  if (!yes) await confirm();
  const after = await daemon.request<Connection>('POST', '/api/v1/connection/disconnect', { force });
  process.stdout.write(`${json ? jsonLine(after) : oneLine(after.sentence)}\n`);
}

/**
 * Prompts on standard error, so that standard output holds only the result.
 * @throws CommandFailed unless confirmed
 */
async function confirm(): Promise<void> {
  process.stderr.write(`${WARNING}\n`);
  if (!process.stdin.isTTY)
    throw new CommandFailed(
      EXIT.usage,
      'Not disconnected: confirmation needs a terminal. Use --yes to skip it.',
    );
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Disconnect? [y/N] ').finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailed(EXIT.failed, 'Not disconnected.');
}
