import { Command } from 'commander';
import type { Ledger } from '../contract/ledger';
import { systemClock } from '../relay/ground/clock';
import { StartupError } from '../relay/ground/relay-error';
import { readDataPaths, type Environment } from '../relay/settings/read-settings';
import { CommandFailed, EX_CONFIG } from './command-failed';
import { DaemonClient, DaemonUnavailable } from './daemon-client';
import { formatConsistencyCheck } from './format-consistency-check';
import type { CheckResult } from './doctor-checks';
import { formatFaults } from './format-faults';
import { jsonLine, oneLine } from './printable';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

/** At least one check failed. */
const EXIT_PROBLEM_FOUND = 1;

/** The check reads the whole history, which may be long. */
const CONSISTENCY_CHECK_TIMEOUT_MS = 3_600_000;

const EXIT_CODES = `
Exit codes:
  0   no problems found
  1   problems found; each is listed with its remedy
  78  --ledger: the consistency check cannot run; the message says what to change`;

interface DoctorFlags extends SettingsFlags {
  json?: boolean;
  ledger?: boolean;
}

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('find problems of this installation and name remedies')
    .option('--ledger', 'run the consistency check instead: every event, delivery and attempt')
    .option('--json', 'print JSON')
    .addHelpText('after', EXIT_CODES);
  return withSettings(command, ['dataDir']).action(doctor);
}

async function doctor({ json, ledger, ...flags }: DoctorFlags): Promise<void> {
  const environment = environmentWith(flags);
  const healthy = ledger ? await reportConsistency(environment, json) : await reportHealth(environment, json);
  if (!healthy) process.exitCode = EXIT_PROBLEM_FOUND;
}

async function reportHealth(environment: Environment, json = false): Promise<boolean> {
  const { runChecks } = await import('./doctor-checks.js');
  const checks: CheckResult[] = [];
  for await (const check of runChecks(environment)) {
    checks.push(check);
    if (!json) process.stdout.write(`${describe(check)}\n`);
  }
  const healthy = checks.every(({ ok }) => ok !== false);
  if (json) process.stdout.write(`${jsonLine({ healthy, checks })}\n`);
  return healthy;
}

function describe({ name, ok, sentence, remedy }: CheckResult): string {
  const mark = ok === null ? 'unknown' : ok ? 'ok' : 'problem';
  const line = `${mark.padEnd(10)}${name.padEnd(14)}${oneLine(sentence)}`;
  return remedy === null ? line : `${line}\n${' '.repeat(24)}${oneLine(remedy)}`;
}

async function reportConsistency(environment: Environment, json = false): Promise<boolean> {
  const ledger = await checkConsistency(environment);
  process.stdout.write(`${json ? jsonLine(ledger) : formatConsistencyCheck(ledger)}\n`);
  return ledger.balanced;
}

/** Runs in the daemon if one is running, otherwise in this process. */
async function checkConsistency(environment: Environment): Promise<Ledger> {
  try {
    const daemon = new DaemonClient(environment);
    return await daemon.request<Ledger>('POST', '/api/v1/ledger', undefined, CONSISTENCY_CHECK_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof DaemonUnavailable)) throw error;
  }
  const { checkStoppedLedger } = await import('../relay/diagnostics/ledger/check-stopped-ledger.js');
  try {
    return await checkStoppedLedger(readDataPaths(environment), systemClock);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new CommandFailed(EX_CONFIG, formatFaults('The consistency check cannot run', error.faults));
  }
}
