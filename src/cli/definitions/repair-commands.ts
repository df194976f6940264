import { type Command, Option } from 'commander';
import { withHub, withList, withWaiting } from './hub-flags';
import { onHub } from './on-use';
import { collect, parseCount, parseOneOf, parseRate } from './parse';

const ACTIONS = ['changed', 'missing', 'absent'] as const;
const ID = 'id of a repair, or last for the newest one';

const EXIT_CODES = `
Exit codes:
  0   it has ended; with --dry-run nothing differs
  3   with --dry-run something differs; otherwise the repair failed or was cancelled
  75  --wait: not finished in time; the repair runs on
  130 ended by Ctrl-C: the repair runs on`;

/** `repair`, which finds at Co-Pilot what was missed. */
export function defineRepairs(program: Command): void {
  const repair = withWaiting(
    program
      .command('repair')
      .description('read all deals from Co-Pilot, and send what was missed')
      .option('--outage <outage>', 'id of an outage to repair, in place of all; repeatable', collect)
      .addOption(
        new Option(
          '--baseline',
          'only store the deals of which nothing is known, and send nothing',
        ).conflicts(['outage', 'action', 'to']),
      )
      .option('--action <action>', `what to send: ${ACTIONS.join(', ')}; repeatable`, parseAction)
      .option('--to <target>', 'send it only here; repeatable', collect)
      .addOption(new Option('--rate <n/s>', 'events per second, such as 20/s').argParser(parseRate))
      .option('--requests-per-minute <n>', 'how many requests to send to Co-Pilot (default 60)', parseCount)
      .option('--dry-run', 'only show what differs')
      .option('--yes', 'skip the confirmation'),
  )
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `\nAsks before it sends anything. Without --action, what has changed or is missing is sent.\n${EXIT_CODES}`,
    )
    .action(onHub(async () => (await import('../remote/repairs/start-repair.js')).startRepair, 'changes'));

  withList(repair.command('list').description('list repairs, newest first')).action(
    onHub(async () => (await import('../remote/repairs/repair-verbs.js')).listRepairs),
  );

  withHub(repair.command('get').description('show a repair').argument('<repair>', ID)).action(
    onHub(async () => (await import('../remote/repairs/repair-verbs.js')).getRepair),
  );

  withWaiting(repair.command('attach').description('show the progress of a repair').argument('<repair>', ID))
    .addHelpText('after', EXIT_CODES)
    .action(onHub(async () => (await import('../remote/repairs/repair-verbs.js')).attachRepair));

  withHub(
    repair.command('cancel').description('end a repair: what was sent stays').argument('<repair>', ID),
  ).action(onHub(async () => (await import('../remote/repairs/repair-verbs.js')).cancelRepair, 'changes'));
}

const parseAction = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  parseOneOf(...ACTIONS)(text),
];
