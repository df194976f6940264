import { readFileSync } from 'node:fs';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';

/** Reads or writes a file. @throws CommandFailed with the reason and the remedy if that fails */
export function useFile<Result>(
  file: string,
  use: 'read' | 'written',
  work: () => Result,
  remedy = 'Name a file that this user may use.',
): Result {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      EXIT.config,
      `${file} cannot be ${use} (${code}).`,
      code === 'EEXIST' ? 'Name a file that does not exist yet.' : remedy,
      'file_invalid',
    );
  }
}

/** @throws CommandFailed if it cannot be read */
export const readText = (file: string, remedy?: string): string =>
  useFile(file, 'read', () => readFileSync(file, 'utf8'), remedy);

/** @param text itself, or `@` and the name of a file that has it @throws CommandFailed if it cannot be read */
export const textOrFile = (text: string): string => (text.startsWith('@') ? readText(text.slice(1)) : text);
