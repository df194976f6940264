import type { Command } from 'commander';
import { StartupError } from '../relay/ground/relay-error';
import { Problem } from '../sandbox/problem';
import type { Sandbox, SandboxOptions } from '../sandbox/start-sandbox';
import { StateError } from '../sandbox/state/state-error';
import { runUntilSignal } from './run-until-signal';

const APPLICATION_NAME = 'Switchboard';

interface SandboxFlags {
  host: string;
  port: number;
  rate: number;
  redirectUri: string;
  consent: 'ask' | 'grant';
  allowHttp?: true;
  data?: string;
  quirk: string[];
}

export async function runSandbox(flags: SandboxFlags, command: Command): Promise<void> {
  const { host, port, rate, redirectUri, consent } = flags;
  const [{ parseQuirks }, { createLog }] = await Promise.all([
    import('../sandbox/quirks/quirk-changes.js'),
    import('../relay/ground/log.js'),
  ]);
  const quirks = parseOption(command, '--quirk', () => parseQuirks(flags.quirk));
  const log = createLog('info', process.stdout.isTTY);
  const sandbox = await start({
    host,
    port,
    consent,
    eventsPerSecond: rate,
    allowHttp: flags.allowHttp === true,
    ...(flags.data !== undefined && { data: flags.data }),
    quirks,
    log: (record) => log[record.kind === 'error' ? 'error' : 'info'](record, 'co-pilot sandbox'),
  });
  runUntilSignal(log, () => sandbox.close());
  const [clientId, clientSecret] = await applicationCredentials(sandbox, redirectUri);
  process.stderr.write(
    `\nThe sandbox is listening on ${sandbox.baseUrl}, with its developer panel at ${sandbox.baseUrl}/panel. Settings for "switchboard serve":\n\n` +
      `  COPILOT_BASE_URL=${sandbox.baseUrl}\n  COPILOT_CLIENT_ID=${clientId}\n  COPILOT_CLIENT_SECRET=${clientSecret}\n\n`,
  );
}

async function start(options: SandboxOptions & { host: string; port: number }): Promise<Sandbox> {
  const [{ startSandbox }, { listen }] = await Promise.all([
    import('../sandbox/start-sandbox.js'),
    import('../relay/http/listening.js'),
  ]);
  try {
    return await listen(() => startSandbox(options), options);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new StartupError({ where: '--data', what: error.reason, remedy: error.remedy });
  }
}

/** Creates the application at the first start. Its secret is shown only then (document, 5.1). */
async function applicationCredentials(
  sandbox: Sandbox,
  redirectUri: string,
): Promise<[id: string, secret: string]> {
  const existing = sandbox.applications().find(({ name }) => name === APPLICATION_NAME);
  if (existing)
    return [existing.clientId, '(shown only at the first start; create a new one in the developer panel)'];
  const created = sandbox.createApplication({ name: APPLICATION_NAME, redirectUris: [redirectUri] });
  await sandbox.saved();
  return [created.clientId, created.clientSecret];
}

/** Reports a `Problem` from `parse` as a usage error. @throws CommanderError */
function parseOption<Result>(command: Command, option: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return command.error(`error: option '${option}' is invalid. ${error.message}`);
  }
}
