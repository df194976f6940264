import { type Command, Option } from 'commander';
import { withHub } from './hub-flags';
import { onHub } from './on-use';
import { collect, parseCount } from './parse';

/** `types`: what payloads look like. */
export function defineTypes(program: Command): void {
  const types = withHub(
    program
      .command('types')
      .description('print the types of payloads as the hub has learned them, or compare them with a file')
      .addOption(
        new Option('--format <format>', 'language (default typescript)').choices([
          'typescript',
          'json_schema',
          'asyncapi',
        ]),
      )
      .option('--type <pattern>', 'event type, such as deal.created or deal.*; repeatable', collect)
      .option('-o, --output <file>', 'write to this file')
      .option('--yes', 'replace the file without asking')
      .addOption(
        new Option('--check <file>', 'print what differs from this file, written with -o before').conflicts([
          'format',
          'output',
        ]),
      )
      .addOption(new Option('--allow <what>', 'what may differ').choices(['additions'])),
  )
    .addHelpText(
      'after',
      '\nExit codes of --check:\n  0   nothing differs, or nothing but what is allowed\n  3   something differs\n  69  no hub responds',
    )
    .action(onHub(async () => (await import('../remote/types/type-verbs.js')).exportTypes));

  withHub(types.command('list').description('list the event types, and whether they have changed')).action(
    onHub(async () => (await import('../remote/types/type-verbs.js')).listTypes),
  );

  withHub(
    types
      .command('show')
      .description('show the paths of a type')
      .argument('<type>')
      .option('--of <version>', 'as they were in this version', parseCount),
  ).action(onHub(async () => (await import('../remote/types/type-verbs.js')).showType));

  withHub(
    types
      .command('accept')
      .description('accept the newest version of a type, which ends its alert')
      .argument('<type>'),
  ).action(onHub(async () => (await import('../remote/types/type-verbs.js')).acceptType, 'changes'));
}
