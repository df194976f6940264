import { CommanderError } from 'commander';
import { createProgram } from './definitions/program';

/**
 * Runs a command line.
 * @returns the exit code if it failed; null if it succeeded, where what it has started may go on
 */
export async function run(args: readonly string[]): Promise<number | null> {
  const json = args.includes('--json');
  try {
    await createProgram(json).parseAsync(args, { from: 'user' });
    return null;
  } catch (error) {
    // After `--help` and `--version`.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { printError } = await import('./print-error.js');
    return printError(error, json);
  }
}
