import { Command, InvalidArgumentError } from 'commander';
import { createLog } from '../relay/log';
import { describeSwitches } from '../sandbox/readings/describe-switches';
import { parseFaults, parseReadings } from '../sandbox/readings/parse-switches';
import { startSandbox } from '../sandbox/start-sandbox';
import { nonNegativeNumber } from './parse-number';
import { runUntilSignal } from './run-until-signal';

interface SandboxFlags {
  host: string;
  port: number;
  rate: number;
  redirectUri: string;
  consent: 'ask' | 'grant';
  reading: string[];
  fault: string[];
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run an emulated Co-Pilot for tests and first steps')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <number>', 'where to listen; 0 picks a free port', nonNegativeNumber, 4010)
    .option('--rate <events>', 'events per second', nonNegativeNumber, 1)
    .option(
      '--redirect-uri <url>',
      'of the application that is made at start',
      'http://localhost:4000/oauth/callback',
    )
    .option('--consent <how>', 'ask: show the consent page; grant: consent at once', consent, 'ask')
    .option('--reading <name=value>', 'another reading of the document, see below; repeatable', gather, [])
    .option('--fault <name[=times]>', 'a fault that is on, see below; repeatable', gather, [])
    .addHelpText('after', () => `\n${describeSwitches()}`)
    .action(sandbox);
}

async function sandbox(flags: SandboxFlags): Promise<void> {
  const { host, port, rate, redirectUri, consent: how } = flags;
  const log = createLog('info', process.stdout.isTTY);
  const running = await startSandbox({
    host,
    port,
    consent: how,
    eventsPerSecond: rate,
    readings: parseReadings(flags.reading),
    faults: parseFaults(flags.fault),
    log: (record) => log.info(record, 'co-pilot sandbox'),
  });
  runUntilSignal(log, () => running.close());
  const { clientId, clientSecret } = running.createApplication({
    name: 'Switchboard',
    redirectUris: [redirectUri],
  });
  process.stderr.write(
    `\nCo-Pilot's sandbox listens on ${running.baseUrl}. For serve:\n\n` +
      `  COPILOT_BASE_URL=${running.baseUrl}\n  COPILOT_CLIENT_ID=${clientId}\n  COPILOT_CLIENT_SECRET=${clientSecret}\n\n`,
  );
}

function gather(value: string, before: string[]): string[] {
  return [...before, value];
}

function consent(text: string): string {
  if (text === 'ask' || text === 'grant') return text;
  throw new InvalidArgumentError('It is ask or grant.');
}
