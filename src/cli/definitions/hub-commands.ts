import { type Command, InvalidArgumentError } from 'commander';
import { withAddress } from './hub-flags';
import { onUse } from './on-use';

/** The commands that work with a hub anywhere. */
export function defineHubCommands(program: Command): void {
  defineProfiles(program);
}

function defineProfiles(program: Command): void {
  withAddress(
    program
      .command('login')
      .description('store a hub and its token as the profile in use')
      .option('--name <profile>', 'name of the profile; by default that of the host', parseName)
      .option('--token-stdin', 'read the token from standard input')
      .option('--token-command <command>', 'a command that prints the token, run at each use')
      .option('--ca-file <file>', 'certificates (PEM) that sign that of the hub'),
  ).action(onUse(async () => (await import('../login.js')).login));

  program
    .command('logout')
    .description('remove a profile with its token')
    .argument('[profile]', 'by default the one in use')
    .action(onUse(async () => (await import('../profiles.js')).logOut));

  const profiles = program
    .command('profiles')
    .description('list the profiles')
    .option('--json', 'print JSON, one object per line')
    .action(onUse(async () => (await import('../profiles.js')).listProfiles));
  profiles
    .command('use')
    .description('choose the profile in use')
    .argument('<profile>')
    .action(onUse(async () => (await import('../profiles.js')).useProfile));
}

function parseName(text: string): string {
  if (/^\w[\w.-]{0,62}$/.test(text) && text !== '__proto__') return text;
  throw new InvalidArgumentError('Must have letters, digits, dots, hyphens or underscores only.');
}
