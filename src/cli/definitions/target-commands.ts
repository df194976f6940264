import { type Command, Option } from 'commander';
import { withHub } from './hub-flags';
import { defineManifests } from './manifest-commands';
import { onHub } from './on-use';
import { collect, parseDuration, parseTime } from './parse';

const TARGET = 'name or id of a target';

const withSettingsOfTarget = (command: Command): Command =>
  command
    .option('--url <url>', 'where to send events')
    .option('--events <pattern>', 'event type or pattern, such as deal.*; repeatable', collect)
    .option('--filter <json>', 'conditions on the payload as JSON, or @ and a file with them; null for none')
    .option('--format <format>', 'json, slack, teams, discord, pagerduty, ntfy, text or email')
    .option('--header <name=value>', 'a header of each request; without a value none; repeatable', collect)
    .option(
      '--secret-header <name>',
      'the same, stored encrypted: its value is asked for; or <name>=@<file>, or <name>=- for standard input; repeatable',
      collect,
    )
    .option('--policy <name=json>', 'how to send, such as concurrency=2 or breaker=null; repeatable', collect)
    .option(
      '--signature <header=form>',
      'a further signature, such as x-hub-signature-256=sha256={hex}; empty for none',
    )
    .option('--ed25519', 'also sign with Ed25519')
    .option('--no-ed25519', 'do not')
    .option('--secret-out <file>', 'write the signing secret to a new file in place of showing it');

/** `targets`: where events go. */
export function defineTargets(program: Command): void {
  const targets = program.command('targets').description('list, change and test the targets of events');

  withHub(targets.command('list').description('list targets with their health')).action(
    onHub(async () => (await import('../remote/targets/target-view.js')).listTargets),
  );

  withHub(targets.command('get').description('show a target').argument('<target>', TARGET)).action(
    onHub(async () => (await import('../remote/targets/target-view.js')).getTarget),
  );

  withHub(
    withSettingsOfTarget(
      targets
        .command('add')
        .description('add a target, and show its signing secret once')
        .argument('<name>', 'its name'),
    )
      .option('--disabled', 'without receiving events yet')
      .option('--backfill <time>', 'also send stored events received since then', parseTime)
      .option('--secret-in <file>', 'use the signing secret in this file, or - for standard input'),
  ).action(onHub(async () => (await import('../remote/targets/target-verbs.js')).addTarget, 'changes'));

  withHub(
    withSettingsOfTarget(
      targets
        .command('edit')
        .description('change a target: by flags, or without any in your editor')
        .argument('<target>', TARGET),
    )
      .option('--name <name>', 'another name')
      .option('--disabled', 'receive no new events')
      .addOption(new Option('--enabled', 'receive new events').conflicts('disabled'))
      .option('--force', 'save an expression although tests of it fail')
      .option('--new-secret', 'replace the signing secret at once; required if the URL is at another host'),
  ).action(onHub(async () => (await import('../remote/targets/edit-target.js')).editTarget, 'changes'));

  withHub(
    targets
      .command('pause')
      .description('queue the deliveries of targets in place of sending them')
      .argument('[target...]', TARGET)
      .option('--all', 'all that are not paused, but those that only receive system events')
      .option('--reason <text>', 'why, as shown to other operators')
      .option('--for <duration>', 'resume by itself after that, such as 2h', parseDuration)
      .option('--yes', 'skip the confirmation of --all'),
  ).action(
    onHub(async () => (await import('../remote/targets/target-verbs.js')).changeTargets('pause'), 'changes'),
  );

  withHub(
    targets
      .command('resume')
      .description('send the deliveries of paused targets')
      .argument('[target...]', TARGET)
      .option('--all', 'all of them')
      .option('--yes', 'skip the confirmation of --all'),
  ).action(
    onHub(async () => (await import('../remote/targets/target-verbs.js')).changeTargets('resume'), 'changes'),
  );

  withHub(
    targets
      .command('test')
      .description('send a signed sample, which is not stored or retried, and show the response')
      .argument('<target>', TARGET)
      .option('--event <event>', 'with the payload of this event: id or seq'),
  )
    .addHelpText('after', '\nExit codes:\n  0   delivered\n  3   not delivered')
    .action(onHub(async () => (await import('../remote/targets/target-verbs.js')).testTarget, 'changes'));

  withHub(
    targets
      .command('exam')
      .description('send valid and invalid requests, and show whether the receiver tells them apart')
      .argument('<target>', TARGET),
  )
    .addHelpText(
      'after',
      '\nThe two valid requests, signed samples, can have effects in the receiver. Nothing is stored or retried.' +
        '\n\nExit codes:\n  0   all responses are right\n  3   at least one is not',
    )
    .action(onHub(async () => (await import('../remote/targets/exam-target.js')).examTarget, 'changes'));

  withHub(
    targets
      .command('remove')
      .description('remove a target: what it has queued is cancelled, its history is kept')
      .argument('<target>', TARGET)
      .option('--yes', 'skip the confirmation'),
  ).action(onHub(async () => (await import('../remote/targets/target-verbs.js')).removeTarget, 'changes'));

  defineManifests(targets);

  const secret = targets.command('secret').description('the signing secret of a target');
  withHub(
    secret
      .command('rotate')
      .description('make a new signing secret, and show it once')
      .argument('<target>', TARGET)
      .option('--overlap <duration>', 'how long the old one stays valid (default 24h)', parseDuration)
      .option('--secret-out <file>', 'write it to a new file in place of showing it'),
  ).action(onHub(async () => (await import('../remote/targets/target-verbs.js')).rotateSecret, 'changes'));
}
