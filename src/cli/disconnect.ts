import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import type { Connection } from '../contract/connection';
import { CommandFailed } from './command-failed';
import { DaemonClient } from './daemon-client';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

const WARNING = `This deletes our webhook at Co-Pilot and forgets the tokens. From then on Co-Pilot sends nothing: what happens there until
you connect again is lost. Events that are stored stay, and are delivered. To stop deliveries only, pause the targets.`;

const EXIT_CODES = `
Exit codes:
  0   disconnected
  1   nothing was disconnected; what was written says why
  2   nobody could be asked: give --yes
  69  the daemon does not answer`;

interface DisconnectFlags extends SettingsFlags {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

export function disconnectCommand(): Command {
  const command = new Command('disconnect')
    .description('delete our webhook at Co-Pilot and forget the tokens')
    .option('--yes', 'do not ask')
    .option('--force', 'forget the tokens even where Co-Pilot cannot be reached to delete the webhook')
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

/** On standard error, so that what is printed stays the answer. @throws CommandFailed unless the answer is yes */
async function confirm(): Promise<void> {
  process.stderr.write(`${WARNING}\n`);
  if (!process.stdin.isTTY)
    throw new CommandFailed(2, 'Nothing was disconnected: give --yes where nobody can be asked.');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Disconnect? [y/N] ').finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailed(1, 'Nothing was disconnected.');
}
