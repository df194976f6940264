import { mainCommand } from '../../../src/cli/main-command';
import { printError } from '../../../src/cli/print-error';
import type { CommandResult } from './run-command';

/**
 * Runs a command with only this environment, but in this process: for commands that only print, one at a time. A process of
 * its own takes twenty times as much of the processor.
 */
export const runInProcess = (...command: Parameters<typeof startInProcess>): Promise<CommandResult> =>
  startInProcess(...command).ended;

/** @returns the result, and before that what the command has printed so far */
export function startInProcess(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const result: CommandResult = { code: 0, out: '', err: '' };
  const { env, exitCode } = process;
  process.env = { ...environment };
  process.exitCode = undefined;
  const writes = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((result.out += String(text)), true)),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((result.err += String(text)), true)),
  ];
  const run = async () => {
    try {
      await mainCommand().parseAsync(args, { from: 'user' });
      result.code = Number(process.exitCode ?? 0);
    } catch (error) {
      result.code = printError(error);
    } finally {
      for (const write of writes) write.mockRestore();
      process.env = env;
      process.exitCode = exitCode;
    }
    return result;
  };
  return { printed: result, ended: run() };
}
