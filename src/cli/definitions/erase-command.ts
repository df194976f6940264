import type { Command } from 'commander';
import { withHub } from './hub-flags';
import { onHub } from './on-use';

const withFlags = (command: Command): Command =>
  withHub(command)
    .option('--reason <text>', 'why, as the hub records it; required unless --dry-run')
    .option('--dry-run', 'only show what would be erased')
    .option('--yes', 'skip the confirmation');

/** `erase`: removes the content of events. */
export function defineErase(program: Command): void {
  const erase = program
    .command('erase')
    .description('erase the content of events for good; what happened to them is kept');
  withFlags(erase.command('event').description('erase one event').argument('<event>', 'its id')).action(
    onHub(async () => (await import('../remote/erase.js')).eraseEvent, 'changes'),
  );
  withFlags(
    erase
      .command('entity')
      .description('erase all events of an entity')
      .argument('<entity>', 'such as contact:42')
      .option(
        '--mentions <json>',
        `also others' events that meet this filter, such as {"data.contact_id": 42}; @file`,
      ),
  ).action(onHub(async () => (await import('../remote/erase.js')).eraseEntity, 'changes'));
}
