import { exec } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import { readText, useFile } from './files';

const USABLE = 'Allow this user to read and write it.';
/** The permission bits of group and others. */
const GROUP_AND_OTHERS = 0o077;

/** A hub with its token, or the command that prints it. */
export interface Profile {
  hub: string;
  token: string | null;
  token_command: string | null;
  ca_file: string | null;
}

export interface Profiles {
  /** The name of the profile in use. */
  current: string | null;
  profiles: Record<string, Profile>;
}

function profilesFile({ XDG_CONFIG_HOME, APPDATA } = process.env): string {
  const isWindows = process.platform === 'win32' && APPDATA !== undefined;
  const folder = isWindows ? APPDATA : XDG_CONFIG_HOME?.trim() || join(homedir(), '.config');
  return join(folder, 'switchboard', 'profiles.json');
}

/** @throws CommandFailed if the file cannot be read, is invalid, or can be read by other users of this machine */
export function readProfiles(): Profiles {
  const file = profilesFile();
  const found = useFile(file, 'read', () => statSync(file, { throwIfNoEntry: false }), USABLE);
  if (found === undefined) return { current: null, profiles: {} };
  if (process.platform !== 'win32' && (found.mode & GROUP_AND_OTHERS) !== 0)
    throw invalid(
      `${file} can be accessed by other users of this machine.`,
      `Restrict it to its owner: chmod 600 ${file}. Replace the tokens in it if others may have read them.`,
    );
  const text = readText(file, USABLE);
  const value = parse(text);
  if (value !== null) return value;
  throw invalid(
    `${file} does not have the form that "switchboard login" writes.`,
    'Correct it, or remove it and log in again.',
  );
}

/** Replaces the file in one step. @throws CommandFailed if it cannot be written */
export function changeProfiles(change: (profiles: Profiles) => void): void {
  const profiles = readProfiles();
  change(profiles);
  const file = profilesFile();
  // Two processes may do this at once.
  const fresh = `${file}.${process.pid}.new`;
  useFile(
    file,
    'written',
    () => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      rmSync(fresh, { force: true });
      writeFileSync(fresh, `${JSON.stringify(profiles, null, 2)}\n`, {
        mode: 0o600,
        flag: 'wx',
        flush: true,
      });
      renameSync(fresh, file);
    },
    USABLE,
  );
}

/** The profile's token, or what its command prints. @throws CommandFailed if there is none */
export async function tokenOf(name: string, { token, token_command: command }: Profile): Promise<string> {
  if (command === null) return token ?? '';
  try {
    return (await promisify(exec)(command)).stdout.trim();
  } catch (error) {
    const { code: status } = error as { code?: number | null };
    throw new CommandFailed(
      EXIT.noAccess,
      `The token_command of the profile "${name}" failed (exit code ${status ?? 'unknown'}).`,
      `Run it in this shell to see why: ${command}`,
      'no_token',
    );
  }
}

function parse(text: string): Profiles | null {
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    const isValid = Object.values(profiles).every(
      (one) => URL.canParse(one.hub) && typeof (one.token ?? one.token_command) === 'string',
    );
    return isValid && (current === null || typeof current === 'string') ? { current, profiles } : null;
  } catch {
    return null;
  }
}

const invalid = (what: string, remedy: string) =>
  new CommandFailed(EXIT.config, what, remedy, 'file_invalid');
