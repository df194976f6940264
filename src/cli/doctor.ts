import { Command } from 'commander';
import type { Ledger } from '../contract/ledger';
import { systemClock } from '../relay/ground/clock';
import { StartupError } from '../relay/ground/relay-error';
import { readDataPaths, type Environment } from '../relay/settings/read-settings';
import { CommandFailed, EX_CONFIG } from './command-failed';
import { DaemonClient, DaemonUnavailable } from './daemon-client';
import { describeLedger } from './describe-ledger';
import type { Diagnosis } from './examine';
import { listFaults } from './list-faults';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

/** The doctor found something. */
const EXIT_FOUND = 1;

/** All of a long history is read. */
const LEDGER_WITHIN_MS = 3_600_000;

const EXIT_CODES = `
Exit codes:
  0   nothing is wrong
  1   something is wrong; each finding says what, and what to do
  78  --ledger: the books cannot be checked until something is changed`;

interface DoctorFlags extends SettingsFlags {
  json?: boolean;
  ledger?: boolean;
}

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('what is wrong with this installation, and what to do')
    .option('--ledger', 'check the books instead: every event, delivery and attempt, whether it adds up')
    .option('--json', 'print JSON')
    .addHelpText('after', EXIT_CODES);
  return withSettings(command, ['dataDir']).action(doctor);
}

async function doctor({ json, ledger, ...flags }: DoctorFlags): Promise<void> {
  const environment = environmentWith(flags);
  const healthy = ledger ? await reportLedger(environment, json) : await reportHealth(environment, json);
  if (!healthy) process.exitCode = EXIT_FOUND;
}

async function reportHealth(environment: Environment, json = false): Promise<boolean> {
  const { examine } = await import('./examine.js');
  const found: Diagnosis[] = [];
  for await (const diagnosis of examine(environment)) {
    found.push(diagnosis);
    if (!json) process.stdout.write(`${describe(diagnosis)}\n`);
  }
  const healthy = found.every(({ ok }) => ok !== false);
  if (json) process.stdout.write(`${jsonLine({ healthy, checks: found })}\n`);
  return healthy;
}

function describe({ name, ok, sentence, remedy }: Diagnosis): string {
  const mark = ok === null ? 'not known' : ok ? 'ok' : 'problem';
  const line = `${mark.padEnd(10)}${name.padEnd(14)}${oneLine(sentence)}`;
  return remedy === null ? line : `${line}\n${' '.repeat(24)}${oneLine(remedy)}`;
}

async function reportLedger(environment: Environment, json = false): Promise<boolean> {
  const ledger = await checkLedger(environment);
  process.stdout.write(`${json ? jsonLine(ledger) : describeLedger(ledger)}\n`);
  return ledger.balanced;
}

/** By the daemon where one runs, and else in its place. */
async function checkLedger(environment: Environment): Promise<Ledger> {
  try {
    const daemon = new DaemonClient(environment);
    return await daemon.request<Ledger>('POST', '/api/v1/ledger', undefined, LEDGER_WITHIN_MS);
  } catch (error) {
    if (!(error instanceof DaemonUnavailable)) throw error;
  }
  const { checkStoppedLedger } = await import('../relay/diagnostics/ledger/check-stopped-ledger.js');
  try {
    return await checkStoppedLedger(readDataPaths(environment), systemClock);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new CommandFailed(EX_CONFIG, listFaults('The books cannot be checked', error.faults));
  }
}
