import { type Command, InvalidArgumentError } from 'commander';
import { withHub, withList } from './hub-flags';
import { onHub } from './on-use';
import { collect, parseTime, POSITION } from './parse';

const POSITIONS = 'oldest, newest, a seq, the id of an event, or a time such as 24h';

/** `consumers`: positions of readers that the hub keeps. */
export function defineConsumers(program: Command): void {
  const consumers = program
    .command('consumers')
    .description('list and change the consumers that read events');

  withList(consumers.command('list').description('list consumers by name')).action(
    onHub(async () => (await import('../remote/consumers.js')).listConsumers),
  );

  withHub(consumers.command('get').description('show a consumer').argument('<consumer>')).action(
    onHub(async () => (await import('../remote/consumers.js')).getConsumer),
  );

  withHub(
    consumers
      .command('create')
      .description('create a consumer')
      .argument('<name>', 'lowercase letters, digits, _ . and -')
      .option('--type <pattern>', 'event type, such as deal.created or deal.*; repeatable', collect)
      .option('--entity <kind:id>', 'what the events are about, such as deal:42')
      .option('--q <text>', 'text in the payload, ignoring case')
      .option('--payload <json>', 'conditions on the payload as JSON, or @ and a file with them')
      .option('--start <position>', `${POSITIONS} (default newest)`, parsePosition),
  ).action(onHub(async () => (await import('../remote/consumers.js')).createConsumer, 'changes'));

  withHub(
    consumers
      .command('reset')
      .description(
        'go on from another position; accepts events that were lost, and ends the lease of a reader',
      )
      .argument('<consumer>')
      .requiredOption('--position <position>', POSITIONS, parsePosition)
      .option('--yes', 'skip the confirmation'),
  ).action(onHub(async () => (await import('../remote/consumers.js')).resetConsumer, 'changes'));

  withHub(
    consumers
      .command('remove')
      .alias('delete')
      .description('remove a consumer and its position')
      .argument('<consumer>')
      .option('--yes', 'skip the confirmation'),
  ).action(onHub(async () => (await import('../remote/consumers.js')).removeConsumer, 'changes'));
}

function parsePosition(text: string): string {
  if (POSITION.test(text)) return text;
  try {
    return parseTime(text);
  } catch {
    throw new InvalidArgumentError(`Must be ${POSITIONS}.`);
  }
}
