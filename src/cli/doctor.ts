import type { Ledger } from '../contract/ledger';
import type { HubClient } from './remote/hub-client';
import { isUnreachable } from './remote/hub-failures';
import type { CheckResult } from './check-result';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { SettingsFlags } from './definitions/settings-flags';

/** The check reads the whole history, which may be long. */
const CONSISTENCY_CHECK_TIMEOUT_MS = 3_600_000;

const GENERAL_ADVICE =
  'This never happens in normal operation. The cause is the disk, another program, or a bug in Switchboard. Copy DATA_DIR before you change anything.';

interface DoctorFlags extends SettingsFlags {
  json?: boolean;
  ledger?: boolean;
}

export async function doctor(hub: HubClient, { json, ledger, dataDir }: DoctorFlags): Promise<void> {
  const here = (await isOnThisMachine(hub)) ? await import('./doctor-here.js') : null;
  const settings = dataDir === undefined ? {} : { dataDir };
  let healthy: boolean;
  if (ledger) healthy = await reportConsistency(hub, () => here?.checkLedger(settings), json);
  else healthy = await reportHealth(here?.checksHere(hub, settings) ?? checksRemotely(hub), json);
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

/** @param whileStopped runs the check if no daemon runs; returns undefined if the hub is on another machine */
async function reportConsistency(
  hub: HubClient,
  whileStopped: () => Promise<Ledger> | undefined,
  json = false,
): Promise<boolean> {
  const ledger = await hub
    .request('POST', '/api/v1/ledger', { timeoutMs: CONSISTENCY_CHECK_TIMEOUT_MS })
    .catch((error: unknown) => {
      const checked = isUnreachable(error) ? whileStopped() : undefined;
      if (checked === undefined) throw error;
      return checked;
    });
  process.stdout.write(`${json ? jsonLine(ledger) : formatConsistencyCheck(ledger)}\n`);
  return ledger.balanced;
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
