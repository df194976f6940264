import { type Command, InvalidArgumentError } from 'commander';
import { withHub } from './hub-flags';
import { onHub } from './on-use';
import { collect, parseCount, parseDuration, parseNonNegativeNumber, parseTime, parseUrl } from './parse';

const MAX_CONCURRENCY = 64;

/** `listen`, which makes this machine a target. */
export function defineListen(program: Command): void {
  withHub(
    program
      .command('listen')
      .description('receive events on this machine, also behind a firewall')
      .requiredOption(
        '--forward-to <url>',
        'where to send them, such as http://localhost:3000/hook',
        parseUrl('http://localhost:3000/hook'),
      )
      .option('--name <name>', 'name of the target; by default user and host')
      .option('--events <pattern>', 'event type or pattern, such as deal.*; repeatable', collect)
      .option('--filter <json>', 'conditions on the payload as JSON, or @ and a file with them')
      .option('--since <time>', 'also stored events since then, if the target is new', parseTime)
      .option('--concurrency <n>', 'requests at a time (default 4)', parseConcurrency)
      .option('--keep <duration>', 'how long events wait for this machine (default 5d)', parseDuration)
      .option('--ephemeral', 'remove the target at the end, or a minute after the connection is lost')
      .option('--take-over', 'end another process that listens for this target')
      .option('--allow-external', 'forward to other machines')
      .option('--no-excerpt', 'show the hub nothing of the responses')
      .option('--exit-after <n>', 'end after n deliveries that succeeded', parseCount)
      .option('--wait <seconds>', 'how long to wait for them; then 75', parseNonNegativeNumber)
      .option('--secret-out <file>', 'write the signing secret of a new target to a file'),
  ).action(onHub(async () => (await import('../remote/listen/listen.js')).listen, 'changes'));
}

function parseConcurrency(text: string): number {
  const value = parseCount(text);
  if (value <= MAX_CONCURRENCY) return value;
  throw new InvalidArgumentError(`Must be at most ${MAX_CONCURRENCY}.`);
}
