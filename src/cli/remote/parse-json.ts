import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { textOrFile } from './event-filters';

/** @param text JSON, or `@` and a file with it @throws CommandFailed if it is not JSON, or cannot be read */
export function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(textOrFile(text));
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(
      EXIT.usage,
      `${flag} is not JSON: ${(error as Error).message}.`,
      'Give an object such as {"data.status_id": 4}, or @ and a file with one.',
      'command_line_invalid',
    );
  }
}

/** A value of JSON, or otherwise the text itself. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
