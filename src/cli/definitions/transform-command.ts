import type { Command } from 'commander';
import { withHub } from './hub-flags';
import { onHub } from './on-use';
import { parseCount } from './parse';

/** `transform`: the expressions of targets. */
export function defineTransforms(program: Command): void {
  const transform = program
    .command('transform')
    .description('the expressions that make what targets are sent');
  withHub(
    transform
      .command('test')
      .description(
        'run the tests of an expression, and evaluate it with the newest events of its target; nothing is sent',
      )
      .argument('<target>', 'name or id')
      .option('--expression <text>', "in place of the target's: the text, or @file")
      .option('--last <count>', 'how many events, at most 200 (default 50)', parseCount),
  )
    .addHelpText(
      'after',
      '\nExit codes:\n  0   all tests pass, and it has a result with each event\n  3   a test fails, or it fails with an event',
    )
    .action(onHub(async () => (await import('../remote/targets/test-transform.js')).testTransform));
}
