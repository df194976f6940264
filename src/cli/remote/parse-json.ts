import { invalidCommandLine } from '../command-failed';
import { textOrFile } from './files';

/** @param text JSON, or `@` and a file with it @returns what the hub checks @throws CommandFailed if it is not JSON, or cannot be read */
export function parseJson(flag: string, text: string): Record<string, unknown> {
  const json = textOrFile(text);
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch (error) {
    throw invalidCommandLine(
      `${flag} is not JSON: ${(error as Error).message}.`,
      'Give an object such as {"data.status_id": 4}, or @ and a file with one.',
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
