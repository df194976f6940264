import { Command } from 'commander';
import type { Ledger } from '../contract/ledger';
import { systemClock } from '../relay/clock';
import { checkStoppedLedger } from '../relay/ledger/check-stopped-ledger';
import { readSettings, type Environment } from '../relay/settings/read-settings';
import { DaemonClient, DaemonUnavailable } from './daemon-client';
import { examine, type Diagnosis } from './examine';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

/** The doctor found something. */
const EXIT_FOUND = 1;

interface DoctorFlags extends SettingsFlags {
  json?: boolean;
  ledger?: boolean;
}

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('what is wrong with this installation, and what to do; exit code 1 where something is')
    .option('--ledger', 'check the books instead: every event, delivery and attempt, whether it adds up')
    .option('--json', 'print JSON');
  return withSettings(command, ['dataDir']).action(doctor);
}

async function doctor({ json, ledger, ...flags }: DoctorFlags): Promise<void> {
  const environment = environmentWith(flags);
  const healthy = ledger ? await reportLedger(environment, json) : await reportHealth(environment, json);
  if (!healthy) process.exitCode = EXIT_FOUND;
}

async function reportHealth(environment: Environment, json = false): Promise<boolean> {
  const found: Diagnosis[] = [];
  for await (const diagnosis of examine(environment)) {
    found.push(diagnosis);
    if (!json) process.stdout.write(`${describe(diagnosis)}\n`);
  }
  const healthy = found.every(({ ok }) => ok !== false);
  if (json) process.stdout.write(`${JSON.stringify({ healthy, checks: found })}\n`);
  return healthy;
}

function describe({ name, ok, sentence, remedy }: Diagnosis): string {
  const mark = ok === null ? 'not known' : ok ? 'ok' : 'problem';
  const line = `${mark.padEnd(10)}${name.padEnd(14)}${sentence}`;
  return remedy === null ? line : `${line}\n${' '.repeat(24)}${remedy}`;
}

async function reportLedger(environment: Environment, json = false): Promise<boolean> {
  const ledger = await checkLedger(environment);
  process.stdout.write(json ? `${JSON.stringify(ledger)}\n` : describeLedger(ledger));
  return ledger.balanced;
}

/** By the daemon where one runs, and else in its place. */
async function checkLedger(environment: Environment): Promise<Ledger> {
  try {
    return await new DaemonClient(environment).request<Ledger>('POST', '/api/v1/ledger');
  } catch (error) {
    if (!(error instanceof DaemonUnavailable)) throw error;
    return checkStoppedLedger(readSettings(environment), systemClock);
  }
}

function describeLedger({ balanced, checked, found, findings }: Ledger): string {
  const { events, deliveries, attempts, lanes } = checked;
  const summary = `${events} events, ${deliveries} deliveries, ${attempts} attempts and ${lanes} lanes checked`;
  if (balanced) return `The books balance: ${summary}.\n`;
  const named = findings.map(({ rule, sentence }) => `  ${rule.padEnd(18)}${sentence}`);
  const rest = found - findings.length;
  if (rest > 0) named.push(`  and ${rest} more`);
  return `The books do not balance: ${found} findings; ${summary}.\n${named.join('\n')}\n`;
}
