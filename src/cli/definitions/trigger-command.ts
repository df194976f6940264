import { type Command, Option } from 'commander';
import { withHub } from './hub-flags';
import { onHub } from './on-use';
import { collect, parseCount, parseRate } from './parse';

/** `trigger`: events for trials. */
export function defineTrigger(program: Command): void {
  withHub(
    program
      .command('trigger')
      .description('make an event happen: in the sandbox of a demo, or as a test of a target')
      .argument('<type>', 'its type, such as deal.created')
      .option('--data <json>', 'its data as JSON, or @ and a file with it; by default made up')
      .option(
        '--override <path=value>',
        'a field of its data, such as data.status_id=4, in the newest event of this type unless --data is given; repeatable',
        collect,
      )
      .addOption(
        new Option('--raw <file>', 'the whole body, as it is; needs --to').conflicts(['data', 'override']),
      )
      .option('--count <n>', 'how many', parseCount, 1)
      .option('--rate <n/s>', 'at most so many per second, such as 5/s', parseRate)
      .option('--to <target>', 'send it to this target only, as a test: name or id; repeatable', collect),
  )
    .addHelpText(
      'after',
      `
A test is neither stored nor retried; the response is shown.

Exit codes:
  0   sent
  3   a test was not delivered`,
    )
    .action(onHub(async () => (await import('../remote/trigger.js')).trigger, 'changes'));
}
