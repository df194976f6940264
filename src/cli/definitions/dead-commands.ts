import type { Command } from 'commander';
import { withList, withWaiting } from './hub-flags';
import { onHub } from './on-use';
import { parseTime } from './parse';

const withConditions = (command: Command): Command =>
  command
    .option('--target <target>', 'of this target: name or id')
    .option('--type <pattern>', 'event type, such as deal.created or deal.*')
    .option('--error <error>', 'how the last attempt failed, such as timeout or 503')
    .option('--since <time>', 'created at or after: 90s, 15m, 24h, 7d, today, or an ISO time', parseTime)
    .option('--until <time>', 'created before', parseTime);

/** `dead`: deliveries that failed for good. */
export function defineDeadLetters(program: Command): void {
  const dead = program.command('dead').description('list, retry and discard dead letters');

  withList(
    withConditions(
      dead.command('list').description('list dead letters, those of the newest events first'),
    ).option('--causes', 'count them by target and error'),
  ).action(onHub(async () => (await import('../remote/dead-letters.js')).listDeadLetters));

  const withSelection = (verb: 'retry' | 'discard', description: string) =>
    withWaiting(
      withConditions(
        dead.command(verb).description(description).argument('[delivery...]', 'ids, in place of conditions'),
      )
        .option('--all', 'all dead letters')
        .option('--yes', 'skip the confirmation')
        .option('--detach', 'do not wait for the end'),
    );

  withSelection('retry', 'send dead letters again, and wait until they are delivered')
    .addHelpText(
      'after',
      `
Exit codes:
  0   all were delivered
  3   some are dead again, or the job was cancelled
  75  --wait: not finished in time; the hub goes on
  130 ended by Ctrl-C: the hub goes on`,
    )
    .action(
      onHub(async () => (await import('../remote/dead-letters.js')).changeDeadLetters('retry'), 'changes'),
    );
  withSelection('discard', 'give dead letters up')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .action(
      onHub(async () => (await import('../remote/dead-letters.js')).changeDeadLetters('discard'), 'changes'),
    );
}
