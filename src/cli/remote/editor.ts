import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { note } from './output';

/**
 * Lets the operator change a text with the editor of the environment, and does something with the result. If that fails,
 * the text is kept in a file, which is named.
 * @param name of the file, which tells the editor the language @throws CommandFailed if the editor fails
 */
export async function edited<Result>(
  text: string,
  name: string,
  use: (after: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-'));
  const file = join(folder, name);
  writeFileSync(file, text);
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
  const after = readFileSync(file, 'utf8');
  try {
    if (status !== 0)
      throw new CommandFailed(
        EXIT.failed,
        `The editor (${editor}) failed, so nothing is sent.`,
        'Set EDITOR.',
      );
    const result = await use(after);
    rmSync(folder, { recursive: true });
    return result;
  } catch (error) {
    if (after === text) rmSync(folder, { recursive: true });
    else note(`The text is kept in ${file}.`);
    throw error;
  }
}
