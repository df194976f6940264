import { parseEnv } from 'node:util';
import { CommandFailed } from '../../command-failed';
import { EXIT } from '../../exit-codes';
import { readText } from '../files';

/** `${NAME}`; `$${` stands for `${`. */
const VARIABLE = /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export const hasVariable = (text: string): boolean =>
  [...text.matchAll(VARIABLE)].some(([, , name]) => name !== undefined);

/** The text that is replaced by this one. */
export const escaped = (text: string): string => text.replaceAll('${', '$$${');

/** Replaces variables in texts by values of the environment, of a file named by NAME_FILE, or of `--env-file`. */
export class Variables {
  readonly used = new Set<string>();
  private readonly missing = new Set<string>();
  private readonly others: Record<string, string | undefined>;

  /** @throws CommandFailed if the file cannot be read */
  constructor(envFile?: string) {
    this.others = envFile === undefined ? {} : parseEnv(readText(envFile));
  }

  replacedIn(text: string): string {
    return text.replace(VARIABLE, (_, literal: string | undefined, name: string) => {
      if (literal !== undefined) return literal;
      this.used.add(name);
      return this.valueOf(name);
    });
  }

  /** @throws CommandFailed with the names of those that have no value */
  assertComplete(file: string): void {
    if (this.missing.size === 0) return;
    throw new CommandFailed(
      EXIT.config,
      `${file} uses variables that have no value: ${[...this.missing].join(', ')}.`,
      'Set them in the environment, each itself or as <name>_FILE, or in a file named by --env-file.',
      'variable_missing',
    );
  }

  private valueOf(name: string): string {
    const { [name]: value, [`${name}_FILE`]: file } = process.env;
    const found = value ?? (file === undefined ? this.others[name] : readText(file).trim());
    if (found === undefined) this.missing.add(name);
    return found ?? '';
  }
}
