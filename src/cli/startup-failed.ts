import { StartupError } from '../relay/ground/relay-error';
import { CommandFailed } from './command-failed';

/** Runs work of a command. @param heading of its message @throws CommandFailed instead of a StartupError */
export async function orCommandFailed<T>(heading: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StartupError ? startFailed(heading, error) : error;
  }
}

/** A heading, then each error with its remedy. */
export function startFailed(heading: string, error: StartupError): CommandFailed {
  const lines = error.errors.map(({ where, what, remedy }) => `  ${where}: ${what}\n    ${remedy}`);
  return new CommandFailed(error.exitCode, `${heading}:\n${lines.join('\n')}`, '', 'settings_invalid');
}
