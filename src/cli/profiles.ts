import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { note, writeJson, writeTable } from './remote/output';
import { changeProfiles, readProfiles, type Profiles } from './remote/profiles';

/** `profiles`: all of them, without their tokens. */
export async function listProfiles({ json }: { json?: true }): Promise<void> {
  const { current, profiles } = readProfiles();
  const rows = Object.entries(profiles).map(([name, { hub, token_command, ca_file }]) => ({
    name,
    hub,
    current: name === current,
    token_command,
    ca_file,
  }));
  if (json) for (const row of rows) await writeJson(row);
  else if (rows.length === 0) note('There is no profile. "switchboard login" makes one.');
  else
    await writeTable(
      [
        { head: '', text: (row) => (row.current ? '*' : '') },
        { head: 'name', text: ({ name }) => name },
        { head: 'hub', text: ({ hub }) => hub },
        { head: 'token', text: (row) => row.token_command ?? 'stored', isFlexible: true },
      ],
      rows,
    );
}

/** `profiles use`. @throws CommandFailed if there is no such profile */
export function useProfile(name: string): void {
  changeProfiles((all) => {
    all.current = existing(name, all);
  });
  note(`The profile in use is ${name}.`);
}

/** `logout`: removes a profile, by default the one in use. @throws CommandFailed if there is no such profile */
export function logOut(given: string | undefined): void {
  changeProfiles((all) => {
    const name = existing(given ?? all.current, all);
    const { hub } = all.profiles[name]!;
    delete all.profiles[name];
    if (all.current === name) all.current = null;
    note(`The profile ${name} is removed. Its token stays valid until it is revoked at ${hub}.`);
  });
}

function existing(name: string | null, { profiles }: Profiles): string {
  if (name !== null && Object.hasOwn(profiles, name)) return name;
  throw new CommandFailed(
    EXIT.config,
    name === null ? 'No profile is in use.' : `There is no profile "${name}".`,
    'List them with "switchboard profiles".',
    'profile_unknown',
  );
}
