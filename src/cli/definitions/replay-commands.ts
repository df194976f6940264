import { type Command, InvalidArgumentError, Option } from 'commander';
import { withConditions } from './event-filters';
import { withHub, withList, withWaiting } from './hub-flags';
import { onHub } from './on-use';
import { collect, parseCount, parseOneOf, parseRate } from './parse';

const OUTCOMES = ['open', 'succeeded', 'dead', 'cancelled'] as const;
const ID = 'id of a replay, or last for the newest one';

const EXIT_CODES = `
Exit codes:
  0   all was delivered
  3   there are dead letters, or the replay was cancelled
  75  --wait: not finished in time; the replay runs on
  130 ended by Ctrl-C: the replay runs on`;

/** `replay`, which sends stored events again. */
export function defineReplays(program: Command): void {
  const replay = withWaiting(
    withConditions(program.command('replay').description('send stored events again'))
      .option(
        '--outcome <outcome>',
        `whose latest delivery to a target is ${OUTCOMES.join(', ')}; repeatable`,
        parseOutcome,
      )
      .option('--delivered-to <target>', 'that were for this target: name or id')
      .option('--missed-by <target>', 'that were not for this target; --to sends them there')
      .option(
        '--to <target>',
        'send them here, in place of the targets that they were for; repeatable',
        collect,
      )
      .addOption(
        new Option('--rate <n/s>', 'events per second, such as 20/s').argParser(parseRate).conflicts('pace'),
      )
      .option(
        '--pace <nx>',
        'the pace at which they were received, such as 10x for ten times that',
        parsePace,
      )
      .option('--until-seq <n>', 'the last event, by its seq; by default the newest one', parseCount)
      .option('--all', 'all events of Co-Pilot')
      .option('--dry-run', 'only show what would be sent')
      .option('--yes', 'skip the confirmation')
      .option('--detach', 'do not wait for the end'),
  )
    .enablePositionalOptions()
    .addHelpText('after', `\nEvents that arrive meanwhile are not part of it.\n${EXIT_CODES}`)
    .action(onHub(async () => (await import('../remote/replays/start-replay.js')).startReplay, 'changes'));

  withList(replay.command('list').description('list replays, newest first')).action(
    onHub(async () => (await import('../remote/replays/replay-verbs.js')).listReplays),
  );

  withHub(replay.command('get').description('show a replay').argument('<replay>', ID)).action(
    onHub(async () => (await import('../remote/replays/replay-verbs.js')).getReplay),
  );

  withWaiting(replay.command('attach').description('show the progress of a replay').argument('<replay>', ID))
    .addHelpText('after', EXIT_CODES)
    .action(onHub(async () => (await import('../remote/replays/replay-verbs.js')).attachReplay));

  for (const [verb, description] of [
    ['pause', 'pause a replay: what is queued is still sent'],
    ['resume', 'go on with a replay that is paused'],
    ['cancel', 'end a replay: what is queued is cancelled'],
  ] as const)
    withHub(replay.command(verb).description(description).argument('<replay>', ID)).action(
      onHub(async () => (await import('../remote/replays/replay-verbs.js')).changeReplay(verb), 'changes'),
    );
}

const parseOutcome = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  parseOneOf(...OUTCOMES)(text),
];

function parsePace(text: string): number {
  const value = Number(/^(.+)x$/.exec(text)?.[1]);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('Must be such as 10x.');
}
