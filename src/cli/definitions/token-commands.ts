import { type Command } from 'commander';
import { withHub, withList } from './hub-flags';
import { onHub } from './on-use';
import { parseDuration, parseOneOf } from './parse';

const SCOPES = ['read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin'] as const;

/** `token`: API tokens. */
export function defineTokens(program: Command): void {
  const token = program.command('token').description('list, create and revoke API tokens');

  withList(token.command('list').description('list tokens, newest first')).action(
    onHub(async () => (await import('../remote/tokens.js')).listTokens),
  );

  withHub(
    token
      .command('create')
      .description('create a token, and print its secret once')
      .argument('<name>', 'what it is for')
      .requiredOption('--scope <scope>', `what it may do: ${SCOPES.join(', ')}; repeatable`, collectScopes)
      .option(
        '--expires <duration>',
        'for how long it is valid, such as 90d; by default for ever',
        parseDuration,
      )
      .option('--out <file>', 'write the secret to a new file in place of printing it'),
  ).action(onHub(async () => (await import('../remote/tokens.js')).createToken, 'changes'));

  withHub(
    token
      .command('revoke')
      .description('revoke a token: it is no longer accepted')
      .argument('<id>', 'id of a token, see list')
      .option('--yes', 'skip the confirmation'),
  ).action(onHub(async () => (await import('../remote/tokens.js')).revokeToken, 'changes'));
}

const collectScopes = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  parseOneOf(...SCOPES)(text),
];
