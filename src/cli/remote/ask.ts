import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { oneLine } from '../printable';

/** Asks on the terminal; the prompt is not part of the output. @throws CommandFailed without a terminal */
export async function ask(question: string, remedy: string, hidden?: 'hidden'): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandFailed(EXIT.usage, 'There is no terminal to ask on.', remedy, 'no_terminal');
  const prompt = createInterface({
    input: process.stdin,
    ...(hidden === undefined && { output: process.stderr }),
    terminal: true,
  });
  prompt.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // The terminal shows nothing by itself any more: what is pasted as soon as the question is read may be a secret.
  process.stderr.write(oneLine(question));
  const answer = await new Promise<string>((done) => {
    prompt.once('close', () => done(''));
    prompt.once('line', (line) => {
      done(line);
      // At once, so that a second line that was pasted with it is not shown.
      prompt.close();
    });
  });
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
    throw new CommandFailed(EXIT.no, `${undone}.`, '', 'declined');
}

/** @param file that will be written; undefined: standard output @throws CommandFailed as `confirm`, if it exists */
export async function confirmReplacing(file: string | undefined, yes: boolean | undefined): Promise<void> {
  if (file !== undefined && existsSync(file)) await confirm(`Replace ${file}?`, `${file} exists`, yes);
}
