import { Command, InvalidArgumentError } from 'commander';
import { StartupError } from '../relay/ground/relay-error';
import { Problem } from '../sandbox/problem';
import { describeQuirks } from '../sandbox/quirks/describe-quirks';
import type { Sandbox, SandboxOptions } from '../sandbox/start-sandbox';
import { StateError } from '../sandbox/state/state-error';
import { parseNonNegativeNumber } from './parse-number';
import { runUntilSignal } from './run-until-signal';

const APPLICATION_NAME = 'Switchboard';

interface SandboxFlags {
  host: string;
  port: number;
  rate: number;
  redirectUri: string;
  consent: 'ask' | 'grant';
  data?: string;
  reading: string[];
  fault: string[];
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run an emulated Co-Pilot for tests and first steps')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <number>', 'where to listen; 0 picks a free port', parseNonNegativeNumber, 4010)
    .option('--rate <events>', 'events per second', parseNonNegativeNumber, 1)
    .option(
      '--redirect-uri <url>',
      'of the application that is made at start',
      'http://localhost:4000/oauth/callback',
    )
    .option('--consent <how>', 'ask: show the consent page; grant: consent at once', parseConsentMode, 'ask')
    .option('--data <folder>', 'keep everything there, across restarts; otherwise in memory only')
    .option('--reading <name=value>', 'another reading of the document, see below; repeatable', collect, [])
    .option('--fault <name[=times]>', 'a fault that is on, see below; repeatable', collect, [])
    .addHelpText('after', () => `\n${describeQuirks()}`)
    .action(sandbox);
}

async function sandbox(flags: SandboxFlags, command: Command): Promise<void> {
  const { host, port, rate, redirectUri, consent: how } = flags;
  const [{ parseFaults, parseReadings }, { createLog }] = await Promise.all([
    import('../sandbox/quirks/parse-quirks.js'),
    import('../relay/ground/log.js'),
  ]);
  const readings = parseOption(command, '--reading', () => parseReadings(flags.reading));
  const faults = parseOption(command, '--fault', () => parseFaults(flags.fault));
  const log = createLog('info', process.stdout.isTTY);
  const running = await start({
    host,
    port,
    consent: how,
    eventsPerSecond: rate,
    ...(flags.data !== undefined && { data: flags.data }),
    readings,
    faults,
    log: (record) => log[record.kind === 'fault' ? 'error' : 'info'](record, 'co-pilot sandbox'),
  });
  runUntilSignal(log, () => running.close());
  const [clientId, clientSecret] = await applicationCredentials(running, redirectUri);
  process.stderr.write(
    `\nCo-Pilot's sandbox listens on ${running.baseUrl}, its developer panel on ${running.baseUrl}/panel. For serve:\n\n` +
      `  COPILOT_BASE_URL=${running.baseUrl}\n  COPILOT_CLIENT_ID=${clientId}\n  COPILOT_CLIENT_SECRET=${clientSecret}\n\n`,
  );
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/start-sandbox.js');
  try {
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new StartupError([{ where: '--data', what: error.reason, remedy: error.remedy }]);
  }
}

/** Of the application that is made at the first start; its secret is shown at that one only (document, 5.1). */
async function applicationCredentials(
  running: Sandbox,
  redirectUri: string,
): Promise<[id: string, secret: string]> {
  const known = running.applications().find(({ name }) => name === APPLICATION_NAME);
  if (known) return [known.clientId, '(as shown at the first start; the panel makes a new one)'];
  const made = running.createApplication({ name: APPLICATION_NAME, redirectUris: [redirectUri] });
  await running.saved();
  return [made.clientId, made.clientSecret];
}

const collect = (value: string, before: string[]): string[] => [...before, value];

/** @throws CommanderError, its words printed, where `parse` finds a `Problem` */
function parseOption<Result>(command: Command, option: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return command.error(`error: option '${option}' is invalid. ${error.message}`);
  }
}

function parseConsentMode(text: string): string {
  if (text === 'ask' || text === 'grant') return text;
  throw new InvalidArgumentError('It is ask or grant.');
}
