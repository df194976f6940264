import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { oneLine } from '../printable';

/** Asks on the terminal; the prompt is not part of the output. @throws CommandFailed without a terminal */
export async function ask(question: string, remedy: string, hidden?: 'hidden'): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandFailed(EXIT.usage, 'There is no terminal to ask on.', remedy, 'no_terminal');
  if (hidden !== undefined) process.stderr.write(oneLine(question));
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({
    input: process.stdin,
    output: hidden === undefined ? process.stderr : silent,
    terminal: true,
  });
  prompt.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answer = await prompt.question(oneLine(question)).finally(() => prompt.close());
  if (hidden !== undefined) process.stderr.write('\n');
  return answer.trim();
}

/** @param undone what is said if not @throws CommandFailed unless confirmed, by `--yes` or on a terminal */
export async function confirm(question: string, undone: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandFailed(
      EXIT.usage,
      `${undone}: confirmation needs a terminal.`,
      'Use --yes to skip it.',
      'no_terminal',
    );
  if (!/^y(es)?$/i.test(await ask(`${question} [y/N] `, '')))
    throw new CommandFailed(EXIT.failed, `${undone}.`);
}
