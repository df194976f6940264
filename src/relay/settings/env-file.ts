import { existsSync, readFileSync } from 'node:fs';
import { StartupError, type ConfigurationError } from '../ground/relay-error';
import { decodeText } from './decode-text';

interface EnvFile {
  values: Record<string, string>;
  /** What may not be meant as it was read. */
  doubts: ConfigurationError[];
}

/** Reads `.env` of the working folder, as `parseEnvFile` does. @throws StartupError if it cannot be read */
export function readEnvFile(settings: readonly string[]): EnvFile {
  try {
    return parseEnvFile(existsSync('.env') ? readFileSync('.env') : Buffer.alloc(0), settings);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // Docker creates a folder in place of a file to mount that is missing.
    const remedy = 'Make it a file that this user may read, or remove it.';
    throw new StartupError({ where: '.env', what: `The file cannot be read (${code}).`, remedy }, error);
  }
}

/** A name with its value in quotes, over several lines if need be; or up to the end of the line. Or another line. */
const ENTRIES =
  /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:](?:[ \t]*(?:'([^']*)'|`([^`]*)`|"((?:\\[^]|[^"\\])*)")[ \t]*(?:#.*)?$|(.*)$)|^.+$/gm;

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Reads a `.env` file by the rules of Docker Compose, which reads the same file, except that variables are not
 * replaced: a `#` begins a comment only after white space, and `\` is special only in double quotes.
 * @param settings the names whose lines matter
 * @throws StartupError for each line of a setting that cannot be read
 */
export function parseEnvFile(bytes: Buffer, settings: readonly string[]): EnvFile {
  const text = decodeText(bytes).replace(/\r\n?/g, '\n');
  const values: Record<string, string> = {};
  const doubts: ConfigurationError[] = [];
  const errors: ConfigurationError[] = [];
  for (const { 0: entry, 1: name, 2: single, 3: back, 4: double, 5: bare, index } of text.matchAll(ENTRIES)) {
    const where = `.env, line ${text.slice(0, index).split('\n').length}`;
    const unquoted = bare?.replace(/[ \t]#.*/, '').trim();
    const doubt = (what: string, remedy: string) => doubts.push({ where, what, remedy });
    const words = name === undefined ? entry.replace(/^[ \t]*#.*/, '').split(/[^\w]+/) : [name];
    const setting = words.find((word) => settings.includes(word));
    if (setting !== undefined && name !== undefined && name in values)
      doubt(`${setting} is set a second time, which counts.`, 'Remove one of the two lines.');
    if (name !== undefined)
      values[name] =
        single ??
        back ??
        double?.replace(/\\([nrt"\\$])/g, (_, char: string) => ESCAPED[char] ?? char) ??
        unquoted!;
    if (setting === undefined) continue;
    if (name === undefined || /^["'`]/.test(unquoted ?? '') || values[name]!.includes('\uFFFD'))
      errors.push({
        where,
        what: `${setting} cannot be read.`,
        remedy: "Write NAME=value in UTF-8; quotes must enclose the whole value, as in NAME='value'.",
      });
    else if (/\$[\w{]/.test(double ?? unquoted ?? ''))
      doubt(
        `The value of ${setting} has a $, after which Docker Compose would replace text; Switchboard does not.`,
        "Enclose the value in single quotes: NAME='value'.",
      );
  }
  if (errors.length > 0) throw new StartupError(errors);
  return { values, doubts };
}
