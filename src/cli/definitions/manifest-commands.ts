import type { Command } from 'commander';
import { withHub } from './hub-flags';
import { onHub } from './on-use';

const withManifest = (command: Command): Command =>
  withHub(command)
    .option('-f, --file <file>', 'the manifest, or - for standard input', 'switchboard.yaml')
    .option('--prune', 'also remove targets that it has made and no longer has')
    .option('--adopt', 'also take targets of these names that it does not manage')
    .option('--force', 'also save expressions of which tests fail')
    .option('--env-file <file>', 'a file with further values of variables')
    .option('--allow-literal-secrets', 'accept secrets that are written into the file');

/** `targets apply`, `diff` and `export`: configuration as a file. */
export function defineManifests(targets: Command): void {
  withManifest(
    targets
      .command('apply')
      .description('make the targets those of a file: shows the differences, asks, changes all or nothing')
      .option('--yes', 'skip the confirmation'),
  ).action(
    onHub(async () => (await import('../remote/manifests/manifest-verbs.js')).applyManifest, 'changes'),
  );

  withManifest(
    targets
      .command('diff')
      .description('show what "targets apply" would change')
      .option('--exit-code', 'end with 3 if there is something'),
  )
    .addHelpText(
      'after',
      '\nExit codes:\n  0   nothing differs, or without --exit-code\n  3   something differs',
    )
    .action(onHub(async () => (await import('../remote/manifests/manifest-verbs.js')).diffManifest));

  withHub(
    targets
      .command('export')
      .description('print the targets as a file for "targets apply", without secrets')
      .option('--manifest <name>', 'only those that this manifest manages'),
  ).action(onHub(async () => (await import('../remote/manifests/manifest-verbs.js')).exportManifest));
}
