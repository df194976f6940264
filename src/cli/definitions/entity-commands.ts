import { type Command, Option } from 'commander';
import { EXPORT_FORMATS, TIME } from './event-filters';
import { withHub, withList } from './hub-flags';
import { onHub } from './on-use';
import { collect, parsePoint } from './parse';

const ENTITY = 'such as deal:42';
const FIELD = 'a payload field, such as data.price; repeatable';

const withAsOf = (command: Command): Command =>
  command.option('--as-of <time>', `as it was known then: ${TIME}, or the seq of an event`, parsePoint);

const withConditions = (command: Command): Command =>
  command
    .option('--kind <kind>', 'of this kind, such as deal')
    .option('--payload <json>', 'conditions on the payload as JSON, or @ and a file with them');

const withSelection = (command: Command): Command =>
  withAsOf(withConditions(command))
    .option('--q <text>', 'text in the payload, ignoring case')
    .addOption(
      new Option('--state <state>', 'in this state (default present)').choices(['present', 'deleted', 'all']),
    );

/** `entities`: what the hub knows of deals and others, now or at an earlier time. */
export function defineEntities(program: Command): void {
  const entities = program
    .command('entities')
    .description('show what is known of deals and others, now or at an earlier time');

  withSelection(withList(entities.command('list').description('list entities, newest change first')))
    .option('--field <path>', `${FIELD}, to show`, collect)
    .option('--count', 'only how many match')
    .action(onHub(async () => (await import('../remote/entities/entity-verbs.js')).listEntities));

  withAsOf(
    withHub(entities.command('get').description('show the state of an entity').argument('<entity>', ENTITY)),
  ).action(onHub(async () => (await import('../remote/entities/entity-verbs.js')).getEntity));

  withConditions(
    withList(
      entities
        .command('changes')
        .description('list the entities that differ between two times, or how one of them does')
        .argument('[entity]', ENTITY),
    ),
  )
    .requiredOption('--from <time>', `the earlier one: ${TIME}, or the seq of an event`, parsePoint)
    .option('--to <time>', 'the later one (default now)', parsePoint)
    .action(onHub(async () => (await import('../remote/entities/entity-changes.js')).listChanges));

  withSelection(withHub(entities.command('export').description('write all matching entities, by name')))
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).default('ndjson'))
    .option('--field <path>', `${FIELD}: a column of the CSV`, collect)
    .option('-o, --output <file>', 'a file in place of standard output; it appears when it is complete')
    .option('--yes', 'replace the file if it exists')
    .action(onHub(async () => (await import('../remote/entities/entity-verbs.js')).exportEntities));
}
