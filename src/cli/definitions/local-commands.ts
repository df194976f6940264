import { type Command, Option } from 'commander';
import { describeQuirks } from '../../sandbox/quirks/describe-quirks';
import { withHub, withNamedHub } from './hub-flags';
import { onHub, onHubHere, onUse } from './on-use';
import { collect, parseNonNegativeNumber } from './parse';
import { withSettings, type SettingsFlag } from './settings-flags';

/** The lifetime of the login link and of the consent request. */
const CONSENT_SECONDS = 900;

const NOT_RUNNING = '69  the daemon is not running or does not respond';

/** The commands that run a daemon, open its files, or are about the daemon on this machine. */
export function defineLocalCommands(program: Command): void {
  defineDaemons(program);
  defineConnection(program);
  defineInspection(program);
  defineDatabase(program);
}

/** A command that reads settings, which flags may set as well. */
const local = (
  program: Command,
  name: string,
  description: string,
  flags: readonly SettingsFlag[] = ['dataDir'],
): Command => withSettings(program.command(name).description(description), flags);

function defineDaemons(program: Command): void {
  local(program, 'serve', 'run the daemon (for settings see docs/settings.md and .env.example)', [
    'host',
    'port',
    'publicUrl',
    'allowHttp',
    'dataDir',
    'logLevel',
  ]).action(onUse(async () => (await import('../serve.js')).serve));

  local(program, 'demo', 'run the sandbox, the daemon and a sample target, connected to each other', [
    'host',
    'port',
    'dataDir',
    'logLevel',
  ])
    .option('--rate <events>', 'events per second', parseNonNegativeNumber, 1)
    .addHelpText('after', '\nIts files are in the folder "demo" of --data-dir.')
    .action(onUse(async () => (await import('../demo.js')).demo));

  program
    .command('sandbox')
    .description('run an emulated Co-Pilot for tests and trials')
    .option('--host <address>', 'listen address', '127.0.0.1')
    .option('--port <number>', 'listen port; 0 picks a free one', parseNonNegativeNumber, 4010)
    .option('--rate <events>', 'events per second', parseNonNegativeNumber, 1)
    .option(
      '--redirect-uri <url>',
      'redirect URI of the application created at the first start',
      'http://localhost:4000/oauth/callback',
    )
    .addOption(
      new Option('--consent <how>', 'ask: show the consent page; grant: consent automatically')
        .choices(['ask', 'grant'])
        .default('ask'),
    )
    .option('--allow-http', 'accept redirect URIs and webhooks with http: only in a private network')
    .option('--data <folder>', 'persist the state in this folder; by default it is in memory only')
    .option('--quirk <name[=value]>', 'set a quirk, see below; repeatable', collect, [])
    .addHelpText('after', () => `\n${describeQuirks()}`)
    .action(onUse(async () => (await import('../sandbox.js')).runSandbox));
}

function defineConnection(program: Command): void {
  withNamedHub(
    local(program, 'connect', 'print the link to the consent page of Co-Pilot and wait until connected')
      .option('--wait <seconds>', 'how long to wait for the consent', parseNonNegativeNumber, CONSENT_SECONDS)
      .option(
        '--json',
        'print JSON: one line with the link if one is needed, then one line with the connection',
      ),
  )
    .addHelpText(
      'after',
      `
Exit codes:
  0   connected with every scope, now or already before
  ${NOT_RUNNING}
  75  timed out waiting for the consent
  77  the consent failed; the message says why`,
    )
    .action(onHubHere(async () => (await import('../connect.js')).connect));

  withNamedHub(
    local(program, 'disconnect', 'delete the webhook at Co-Pilot and the stored tokens')
      .option('--yes', 'skip the confirmation')
      .option('--force', 'delete the tokens even if the webhook cannot be deleted at Co-Pilot')
      .option('--json', 'print the connection as JSON'),
  )
    .addHelpText(
      'after',
      `
Exit codes:
  0   disconnected
  1   not disconnected; the message says why
  2   no terminal to confirm on: use --yes
  ${NOT_RUNNING}`,
    )
    .action(onHubHere(async () => (await import('../disconnect.js')).disconnect));

  withNamedHub(
    local(program, 'login-link', 'print a link that logs in one browser, once, within 15 minutes').option(
      '--json',
      'print JSON',
    ),
  ).action(onHubHere(async () => (await import('../login-link.js')).loginLink));
}

function defineInspection(program: Command): void {
  withHub(
    program
      .command('status')
      .description('show what needs attention, and the state of connection, subscription and targets')
      .option('--check', 'end with 3 if something needs attention'),
  ).action(onHub(async () => (await import('../status.js')).status));

  withHub(
    program
      .command('doctor')
      .description('find problems of a hub, and of the way to it, and name remedies')
      .option('--ledger', 'run the consistency check instead: every event, delivery and attempt'),
  )
    .addHelpText(
      'after',
      `
Exit codes:
  0   no problems found; a check that could not run is not a problem
  1   problems found; each is listed with its remedy
  78  --ledger: the consistency check cannot run; the message says what to change`,
    )
    .action(onHub(async () => (await import('../doctor.js')).doctor));
}

function defineDatabase(program: Command): void {
  local(program, 'backup', 'copy the database of the running daemon into a new file')
    .argument('<file>', 'a file that does not exist; the daemon must be able to write to its folder')
    .option('--json', 'print the backup as JSON')
    .addHelpText(
      'after',
      `
The running daemon copies its database into a new file and verifies the copy. It continues if this command is
interrupted. The file does not contain the secret key, without which it cannot be restored: keep a copy of
that elsewhere.

Exit codes:
  0   backed up and verified
  1   not backed up; the message says why
  65  backed up, but the consistency check found problems in the data: see doctor --ledger
  ${NOT_RUNNING}`,
    )
    .action(onHubHere(async () => (await import('../backup.js')).backUp));

  local(program, 'restore', 'restore a backup into an empty DATA_DIR, while no daemon runs there')
    .argument('<file>', 'a file that backup has written')
    .option('--erasures <file>', 'events to erase again (default: erasures.ndjson beside the backup)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
DATA_DIR must be empty or missing; the secret.key of the original (and its admin.token, to keep that) may be there
already. A backup of an earlier version is upgraded. The daemon is not started.

Exit codes:
  0   restored and verified
  1   unexpected error; nothing was restored
  65  restored, but the consistency check found problems in the data: see doctor --ledger
  78  not restored: a daemon is running, DATA_DIR is not empty, the key is missing or wrong, or the file cannot be
      used; the message says what to change`,
    )
    .action(onUse(async () => (await import('../restore.js')).restore));

  local(program, 'migrate', 'create the tables of the database, or upgrade them to this version')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The daemon does the same when it starts; this is for a deployment that migrates first, or whose daemons may not change
tables. With PostgreSQL, daemons of the previous version may keep running meanwhile. With SQLite, none may.

Exit codes:
  0   the tables are those of this version
  1   unexpected error; nothing was changed
  69  PostgreSQL cannot be reached
  78  not migrated: the database cannot be used, or a daemon has locked it; the message says what to change`,
    )
    .action(onUse(async () => (await import('../migrate.js')).migrate));

  local(program, 'rotate-key', 'encrypt the stored secrets of a stopped hub with a new key')
    .option('--new-key-file <file>', 'the new key, if the present one is SWITCHBOARD_SECRET_KEY')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
All daemons must be stopped. A key in DATA_DIR/secret.key is replaced by a random one. If it is interrupted, run it again.

Exit codes:
  0   all secrets are encrypted with the new key
  1   unexpected error; run it again
  69  PostgreSQL cannot be reached
  78  nothing was changed: a daemon is running, or a key or the database cannot be used; the message says what to change`,
    )
    .action(onUse(async () => (await import('../rotate-key.js')).rotateKey));

  local(program, 'move', 'copy a stopped hub from its SQLite file to an empty database in PostgreSQL')
    .requiredOption('--to <address>', 'postgres://<user>:<password>@<host>/<database>')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The daemon must be stopped; the database in PostgreSQL must be empty. All ids, cursors and tokens stay valid. A move that was
interrupted continues when it is run again. The file is not changed, but no daemon starts on it after the move. Other users
of this machine can see a password in the address: use PGPASSWORD or a password file instead.

Exit codes:
  0   moved and verified
  1   unexpected error; run it again to continue
  65  moved, but the consistency check found problems in the data, as in the file: see doctor --ledger
  69  PostgreSQL cannot be reached, or a daemon uses the database; run it again to continue
  78  not moved: a daemon is running, or a database cannot be used; the message says what to change`,
    )
    .action(onUse(async () => (await import('../move.js')).move));
}
