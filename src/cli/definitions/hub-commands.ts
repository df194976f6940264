import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { defineConsumers } from './consumer-commands';
import { defineDeadLetters } from './dead-commands';
import { defineEntities } from './entity-commands';
import { defineErase } from './erase-command';
import { EXPORT_FORMATS, withEventFilters } from './event-filters';
import { withHub, withAddress } from './hub-flags';
import { defineListen } from './listen-command';
import { onHub, onUse } from './on-use';
import { defineOutages } from './outage-commands';
import { collect, parseCount, parseNonNegativeNumber, POSITION } from './parse';
import { defineRepairs } from './repair-commands';
import { defineReplays } from './replay-commands';
import { defineTargets } from './target-commands';
import { defineTransforms } from './transform-command';
import { defineTokens } from './token-commands';
import { defineTrigger } from './trigger-command';
import { defineTypes } from './type-commands';

/** The commands that work with a hub anywhere. */
export function defineHubCommands(program: Command): void {
  defineProfiles(program);
  defineEvents(program);
  defineEntities(program);
  defineListen(program);
  defineReplays(program);
  defineOutages(program);
  defineRepairs(program);
  defineTargets(program);
  defineTransforms(program);
  defineDeadLetters(program);
  defineErase(program);
  defineTrigger(program);
  defineTokens(program);
  defineConsumers(program);
  defineTypes(program);
  defineCompletion(program);
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

function defineCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, flags and names in a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
For bash: source <(switchboard completion bash). For zsh the same, after compinit. For fish: switchboard completion fish | source`,
    )
    .action(onUse(async () => (await import('../completion.js')).printCompletion));

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(onUse(async () => (await import('../complete.js')).complete));
}

const STATUSES = ['unmatched', 'pending', 'retrying', 'succeeded', 'dead', 'cancelled'];

const FIELD = 'a payload field to show, such as data.price; repeatable';

const withSelection = (command: Command): Command =>
  withEventFilters(command)
    .addOption(new Option('--status <status>', 'in this state').choices(STATUSES))
    .option('--target <target>', 'with a delivery to this target: name or id');

function defineEvents(program: Command): void {
  withHub(
    withEventFilters(program.command('tail').description('follow events as they are stored'))
      .option('--after <event>', 'start behind this event: id, seq, or oldest', parsePosition)
      .option('--full', 'with the payloads')
      .option('--field <path>', FIELD, collect)
      .addOption(
        new Option('--consumer <name>', 'read as a consumer of the hub, which keeps the position').conflicts([
          'type',
          'entity',
          'origin',
          'since',
          'until',
          'q',
          'payload',
          'after',
          'field',
        ]),
      )
      .option('--take-over', 'end another reader of the consumer')
      .option('--no-follow', 'end at the newest event')
      .option('--limit <n>', 'end after so many events', parseCount),
  )
    .addHelpText(
      'after',
      `
Starts at the newest event, unless --since or --after is given. Resumes where it was if the connection is lost.

Exit codes:
  0   ended by --limit, --no-follow, Ctrl-C or SIGTERM
  66  events were removed before they were read; standard error says how many`,
    )
    .action(onHub(async () => (await import('../remote/tail.js')).tail));

  const events = program.command('events').description('find, read, export and resend stored events');

  withHub(
    withSelection(events.command('list').description('list events, newest first'))
      .option('--field <path>', FIELD, collect)
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
      .option('--masked', 'accept *** in place of values that are masked for you')
      .option('-o, --output <file>', 'a file in place of standard output')
      .option('--yes', 'replace the file if it exists'),
  ).action(onHub(async () => (await import('../remote/events-body.js')).writeBody));

  withHub(
    withSelection(events.command('export').description('write all matching events, oldest first'))
      .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).default('ndjson'))
      .option('-o, --output <file>', 'a file in place of standard output; it appears when it is complete')
      .option('--yes', 'replace the file if it exists'),
  ).action(onHub(async () => (await import('../remote/events-export.js')).exportEvents));

  withHub(
    events
      .command('resend')
      .description('send an event again')
      .argument('<event>', 'id or seq')
      .requiredOption('--to <target>', 'name or id of a target; repeatable', collect)
      .addOption(new Option('--edit', 'edit the body first, with VISUAL or EDITOR').conflicts('body'))
      .option('--body <file>', 'a file with another body, or - for standard input')
      .option('--wait [seconds]', 'wait for the outcome (60)', parseNonNegativeNumber),
  )
    .addHelpText(
      'after',
      `
Exit codes:
  0   queued; with --wait: delivered
  3   --wait: not delivered
  75  --wait: not finished in time`,
    )
    .action(onHub(async () => (await import('../remote/events-resend.js')).resend, 'changes'));

  withHub(
    program
      .command('explain')
      .description('say what became of an event at every target, and why')
      .argument('<event>', 'id or seq, or an entity such as deal:42 for its newest event')
      .option('--target <target>', 'only this target: name or id'),
  ).action(onHub(async () => (await import('../remote/explain.js')).explain));
}

function parsePosition(text: string): string {
  if (POSITION.test(text)) return text;
  throw new InvalidArgumentError('Must be the id or the seq of an event, or oldest.');
}

function parseName(text: string): string {
  if (/^\w[\w.-]{0,62}$/.test(text) && text !== '__proto__') return text;
  throw new InvalidArgumentError('Must have letters, digits, dots, hyphens or underscores only.');
}
