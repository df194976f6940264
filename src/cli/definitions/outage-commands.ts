import type { Command } from 'commander';
import { withHub, withList } from './hub-flags';
import { onHub } from './on-use';

/** `outages`: periods in which events may have been missed. */
export function defineOutages(program: Command): void {
  const outages = program
    .command('outages')
    .description('list periods in which events may have been missed, and dismiss them');

  withList(
    outages.command('list').description('list outages with their gap events and repairs, newest first'),
  ).action(onHub(async () => (await import('../remote/outages.js')).listOutages));

  withHub(
    outages
      .command('dismiss')
      .description('mark an outage as reviewed')
      .argument('<outage>', 'id of an outage'),
  ).action(onHub(async () => (await import('../remote/outages.js')).dismissOutage, 'changes'));
}
