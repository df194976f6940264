import type { Ledger } from '../contract/ledger';
import { systemClock } from '../relay/ground/clock';
import { assertFile } from '../relay/database/sqlite/assert-file';
import { readDataPaths, type Environment } from '../relay/settings/read-settings';
import type { HubClient } from './remote/hub-client';
import { isUnreachable } from './remote/hub-failures';
import { orCommandFailed } from './startup-failed';
import type { CheckResult } from './check-result';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { SettingsFlags } from './definitions/settings-flags';
import { environmentWith } from './environment';

/** The check reads the whole history, which may be long. */
const CONSISTENCY_CHECK_TIMEOUT_MS = 3_600_000;

const GENERAL_ADVICE =
  'This never happens in normal operation. The cause is the disk, another program, or a bug in Switchboard. Copy DATA_DIR before you change anything.';

interface DoctorFlags extends SettingsFlags {
  json?: boolean;
  ledger?: boolean;
}

export async function doctor(hub: HubClient, { json, ledger, dataDir }: DoctorFlags): Promise<void> {
  const isHere = await isOnThisMachine(hub);
  const environment = environmentWith(dataDir === undefined ? {} : { dataDir });
  const healthy = await (ledger
    ? reportConsistency(hub, isHere ? environment : null, json)
    : reportHealth(isHere ? checksHere(hub, environment) : checksRemotely(hub), json));
  if (!healthy) process.exitCode = EXIT.failed;
}

/** A daemon that does not run is here as well. */
const isOnThisMachine = async (hub: HubClient): Promise<boolean> => {
  try {
    return (await hub.hub()).isLocal;
  } catch (error) {
    if (isUnreachable(error)) return true;
    throw error;
  }
};

async function* checksHere(hub: HubClient, environment: Environment): AsyncGenerator<CheckResult> {
  const { runChecks } = await import('./doctor-checks.js');
  yield* runChecks(hub, environment);
}

async function* checksRemotely(hub: HubClient): AsyncGenerator<CheckResult> {
  const { checkRemoteHub } = await import('./check-remote-hub.js');
  yield* checkRemoteHub(hub);
}

async function reportHealth(found: AsyncGenerator<CheckResult>, json = false): Promise<boolean> {
  const checks: CheckResult[] = [];
  for await (const check of found) {
    checks.push(check);
    if (!json) process.stdout.write(`${describe(check)}\n`);
  }
  // A check that could not run is not a problem.
  const healthy = checks.every(({ ok }) => ok !== false);
  if (json) process.stdout.write(`${jsonLine({ healthy, checks })}\n`);
  return healthy;
}

function describe({ name, ok, sentence, remedy }: CheckResult): string {
  const status = ok === null ? 'unknown' : ok ? 'ok' : 'problem';
  const line = `${status.padEnd(10)}${name.padEnd(14)}${oneLine(sentence)}`;
  return remedy === null ? line : `${line}\n${' '.repeat(24)}${oneLine(remedy)}`;
}

async function reportConsistency(
  hub: HubClient,
  environment: Environment | null,
  json = false,
): Promise<boolean> {
  const ledger = await checkConsistency(hub, environment);
  process.stdout.write(`${json ? jsonLine(ledger) : formatConsistencyCheck(ledger)}\n`);
  return ledger.balanced;
}

/**
 * Runs in the daemon if one is running, otherwise in this process.
 * @param environment null if the hub is on another machine
 */
async function checkConsistency(hub: HubClient, environment: Environment | null): Promise<Ledger> {
  try {
    return await hub.request<Ledger>('POST', '/api/v1/ledger', {
      timeoutMs: CONSISTENCY_CHECK_TIMEOUT_MS,
    });
  } catch (error) {
    if (environment === null || !isUnreachable(error)) throw error;
  }
  const { checkLedgerWhileStopped } =
    await import('../relay/diagnostics/ledger/check-ledger-while-stopped.js');
  return orCommandFailed('The consistency check cannot run', () => {
    const paths = readDataPaths(environment);
    assertFile(paths, 'Start the daemon, which then runs the check.');
    return checkLedgerWhileStopped(paths, systemClock);
  });
}

/** The findings of a consistency check as text, grouped by rule, with one remedy per rule. */
function formatConsistencyCheck({ balanced, checked, found, findings }: Ledger): string {
  const { events, deliveries, attempts, lanes } = checked;
  const summary = `${events} events, ${deliveries} deliveries, ${attempts} attempts and ${lanes} lanes checked`;
  if (balanced) return `The data is consistent: ${summary}.`;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const parts = rules.map((rule) => {
    const ofRule = findings.filter((finding) => finding.rule === rule);
    return [
      rule,
      ...ofRule.map(({ sentence }) => `  ${oneLine(sentence)}`),
      `  What to do: ${ofRule[0]!.remedy}`,
    ].join('\n');
  });
  const omitted = found - findings.length;
  if (omitted > 0) parts.push(`${omitted} more findings of the rules above are not listed.`);
  const heading = `The data is inconsistent: ${found} ${found === 1 ? 'finding' : 'findings'}; ${summary}.`;
  return [heading, ...parts, GENERAL_ADVICE].join('\n\n');
}
