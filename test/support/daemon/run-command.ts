import { execFile } from 'node:child_process';
import { MAIN } from './main-process';

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** Runs a command on a `DATA_DIR` as a user does, with only this environment, or through another program. */
export function runCommand(
  dataDir: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
): Promise<CommandResult> {
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, ...environment };
  const [program = '', ...words] = [...wrapper, process.execPath, ...MAIN, ...args];
  return new Promise((done) => {
    execFile(program, words, { env, cwd: '/' }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

/** Runs a command with `--json`. @returns what it printed @throws Error if it fails */
export async function runJson<Result>(dataDir: string, ...args: string[]): Promise<Result> {
  const { code, out, err } = await runCommand(dataDir, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as Result;
}
