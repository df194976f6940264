import { run } from '../../../src/cli/run';
import type { CommandResult } from './run-command';

/**
 * Runs a command with only this environment, but in this process: for commands that only print or fail, one at a time. A process of
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
  const writes = (['out', 'err'] as const).map((name) =>
    jest.spyOn(process[`std${name}`], 'write').mockImplementation((text, ...more) => {
      result[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
      const done = more.at(-1);
      if (typeof done === 'function') done();
      return true;
    }),
  );
  // Handlers of signals would outlive the command.
  const listening = jest.spyOn(process, 'on').mockReturnThis();
  const ended = async () => {
    try {
      const failed = await run(args);
      result.code = failed ?? Number(process.exitCode ?? 0);
    } finally {
      for (const one of [...writes, listening]) one.mockRestore();
      process.env = env;
      process.exitCode = exitCode;
    }
    return result;
  };
  return { printed: result, ended: ended() };
}
