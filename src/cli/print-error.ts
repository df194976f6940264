import { CommanderError } from 'commander';
import { StartupError } from '../relay/ground/relay-error';
import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { jsonLine, printable } from './printable';
import { startFailed } from './startup-failed';

/** @param json whether to print one line with a problem @returns the exit code of a command that failed with this error */
export function printError(error: unknown, json = false): number {
  if (error instanceof StartupError) return printError(startFailed('Switchboard cannot start', error), json);
  if (error instanceof CommandFailed) {
    const { exitCode, detail, remedy, code, others } = error;
    const problem = { code, detail, ...(remedy !== '' && { remedy }), ...others };
    print(json ? problemLine(problem) : printable(error.message));
    return exitCode;
  }
  if (error instanceof CommanderError) {
    // Without `--json`, the parser has printed it.
    if (json) print(problemLine({ code: 'command_line_invalid', detail: error.message }));
    return EXIT.usage;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  print(json ? problemLine({ code: 'internal_error', detail: text }) : text);
  return EXIT.failed;
}

const problemLine = (problem: object) => jsonLine({ type: 'about:blank', ...problem });

const print = (text: string) => process.stderr.write(`${text}\n`);
