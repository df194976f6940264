import type { Issue } from '../../../contract/health';
import type { Target } from '../../../contract/target';
import type { HealthState } from '../../../contract/target-health';
import type { TestOutcome } from '../../../contract/target-test';
import type { HubFlags } from '../../definitions/hub-flags';
import { oneLine } from '../../printable';
import { writeObject } from '../facts';
import { targetIdOf, targetsOf } from '../find-by-name';
import type { HubClient } from '../hub-client';
import { note, paint, writeJson, writeLine, writeTable } from '../output';
import { count } from '../words';

const STYLES: Record<HealthState, Parameters<typeof paint>[0]> = {
  active: 'green',
  behind: 'yellow',
  failing: 'red',
  down: 'red',
  blocked: 'red',
  offline: 'yellow',
  paused: 'yellow',
  disabled: 'dim',
};

/** @param target a name or an id @throws CommandFailed if there is none of this name */
export const targetOf = async (hub: HubClient, target: string): Promise<Target> =>
  hub.request('GET', '/api/v1/targets/{id}', { path: { id: await targetIdOf(hub, target) } });

/** `targets list`: with the most important state of each, since when, and the last error. */
export async function listTargets(hub: HubClient, { json }: HubFlags): Promise<void> {
  const targets: Target[] = [];
  for await (const target of targetsOf(hub))
    if (json) await writeJson(target);
    else targets.push(target);
  if (json) return;
  if (targets.length === 0) return void note('There is no target. "switchboard targets add" makes one.');
  const { issues } = await hub.request('GET', '/api/v1/health');
  await writeTable<Target>(
    [
      { head: 'name', text: ({ name }) => name },
      {
        head: 'state',
        text: ({ health }) => health.states[0]!,
        style: ({ health }) => STYLES[health.states[0]!],
      },
      { head: 'since', text: (target) => sinceOf(target, issues) ?? '' },
      { head: 'queued', text: ({ backlog }) => count(backlog.open) },
      { head: 'last success', text: ({ health }) => health.last_delivered_at ?? '' },
    ],
    targets,
  );
  // In the table they would be too long for a terminal.
  for (const target of targets) {
    const trouble = troubleOf(target);
    if (trouble !== '') await writeLine(oneLine(`${target.name}: ${trouble}`));
  }
}

/** Why a target is not in its best state, as far as its state does not say it. */
export function troubleOf({ health, listener, paused, disabled }: Target): string {
  if (health.states[0] === 'active') return '';
  const isRefused = health.states.includes('offline') && listener?.connected === true;
  const { last_failure: last } = health;
  return [
    (disabled ?? paused)?.reason.replace(/\.$/, ''),
    isRefused ? 'its program is connected, but its receiver refuses connections' : null,
    last === null ? null : `last error ${last.sentence} at ${last.at}`,
  ]
    .filter((part) => part !== null && part !== undefined)
    .join(', ');
}

/** Since when a target is in its most important state; null if that is good, or not known. */
const sinceOf = ({ id, paused, disabled, health }: Target, issues: readonly Issue[]): string | null =>
  health.states[0] === 'active'
    ? null
    : (disabled?.at ??
      paused?.at ??
      issues.find(({ target_id: about, since }) => about === id && since !== null)?.since ??
      null);

/** `targets get`. */
export async function getTarget(hub: HubClient, given: string, { json }: HubFlags): Promise<void> {
  const target = await targetOf(hub, given);
  await (json ? writeJson(target) : writeObject(target));
}

/** One line about a test. @returns whether it was delivered */
export async function writeOutcome(name: string, outcome: TestOutcome, json?: true): Promise<boolean> {
  const { delivered, status, error, duration_ms: ms, excerpt } = outcome;
  if (json) await writeJson(outcome);
  else {
    const result = delivered ? paint('green', 'delivered') : paint('red', 'not delivered');
    const why = [status, error].filter((part) => part !== null).join(', ');
    await writeLine(`${oneLine(name)}: ${result} (${oneLine(why)}) in ${ms} ms`);
    if (!delivered && excerpt !== null) await writeLine(`  ${oneLine(excerpt)}`);
  }
  return delivered;
}
