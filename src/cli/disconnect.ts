import { createInterface } from 'node:readline/promises';
import type { Connection } from '../contract/connection';
import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { HubClient } from './remote/hub-client';

const WARNING = `This deletes the webhook at Co-Pilot and the stored tokens. Co-Pilot then stops sending notifications: events that occur
until you connect again are lost. Stored events are kept and still delivered. To stop only deliveries, pause the targets.`;

interface DisconnectFlags {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

export async function disconnect(
  hub: HubClient,
  { yes, force = false, json }: DisconnectFlags,
): Promise<void> {
  // There is nothing to confirm without a hub.
  await hub.request('GET', '/api/v1/connection');
  if (!yes) await confirm();
  const after = await hub.request<Connection>('POST', '/api/v1/connection/disconnect', {
    body: { force },
  });
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
