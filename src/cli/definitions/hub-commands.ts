import { type Command, InvalidArgumentError } from 'commander';
import { withEventFilters } from './event-filters';
import { withHub, withAddress } from './hub-flags';
import { onHub, onUse } from './on-use';
import { collect, parseCount, parseOneOf } from './parse';

/** The commands that work with a hub anywhere. */
export function defineHubCommands(program: Command): void {
  defineProfiles(program);
  defineEvents(program);
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

const STATUSES = ['unmatched', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'] as const;

const withSelection = (command: Command): Command =>
  withEventFilters(command)
    .option('--status <status>', STATUSES.join(', '), parseOneOf(...STATUSES))
    .option('--target <target>', 'with a delivery to this target: name or id');

function defineEvents(program: Command): void {
  const events = program.command('events').description('find, read, export and resend stored events');

  withHub(
    withSelection(events.command('list').description('list events, newest first'))
      .option('--field <path>', 'a payload field to show, such as data.price; repeatable', collect)
      .option('--count', 'only how many match')
      .option('--limit <n>', 'how many at most (default 50)', parseCount)
      .option('--all', 'all that match'),
  ).action(onHub(async () => (await import('../remote/events-list.js')).listEvents));

  withHub(
    events
      .command('get')
      .description('show all that is stored about an event, but its body')
      .argument('<event>', 'id or seq'),
  ).action(onHub(async () => (await import('../remote/events-get.js')).getEvent));

  withHub(
    events
      .command('body')
      .description('write the body of an event, byte by byte')
      .argument('<event>', 'id or seq')
      .option('-o, --output <file>', 'a file in place of standard output'),
  ).action(onHub(async () => (await import('../remote/events-body.js')).writeBody));

  withHub(
    program
      .command('explain')
      .description('say what became of an event at every target, and why')
      .argument('<event>', 'id or seq, or an entity such as deal:42 for its newest event')
      .option('--target <target>', 'only this target: name or id'),
  ).action(onHub(async () => (await import('../remote/explain.js')).explain));
}

function parseName(text: string): string {
  if (/^\w[\w.-]{0,62}$/.test(text) && text !== '__proto__') return text;
  throw new InvalidArgumentError('Must have letters, digits, dots, hyphens or underscores only.');
}
