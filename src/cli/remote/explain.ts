import type { TargetExplanation } from '../../contract/explanation';
import type { HubFlags } from '../definitions/hub-flags';
import { oneLine } from '../printable';
import { eventIdOf, newestEventOf, targetIdOf } from './find-by-name';
import type { HubClient } from './hub-client';
import { paint, writeJson, writeLine } from './output';

const STYLES = { delivered: 'green', failed: 'red', queued: 'yellow', not_sent: 'dim' } as const;
const OUTCOME_WIDTH = 'delivered'.length;

/** `explain`: what became of an event, or of the newest one about an entity, at every target. */
export async function explain(
  hub: HubClient,
  what: string,
  { json, target }: HubFlags & { target?: string },
): Promise<void> {
  const id = await (what.includes(':') ? newestEventOf(hub, what) : eventIdOf(hub, what));
  const only = target === undefined ? undefined : await targetIdOf(hub, target);
  const explanation = await hub.request('GET', '/api/v1/events/{id}/explain', { path: { id } });
  const targets = explanation.targets.filter(({ target_id }) => only === undefined || target_id === only);
  if (json) return writeJson({ ...explanation, targets });
  const event = await hub.request('GET', '/api/v1/events/{id}', { path: { id } });
  const { seq, type, entity, name, received_at: at } = event;
  const heading = [at, seq, type, entity, name].filter((part) => part !== null).join(' ');
  await writeLine(oneLine(heading));
  await writeLine(oneLine(explanation.summary));
  const width = Math.max(0, ...targets.map(({ name: one }) => one.length));
  for (const one of targets) await writeLine(describe(one, width));
}

function describe({ name, outcome, reason }: TargetExplanation, width: number): string {
  const words = outcome.replace('_', ' ').padEnd(OUTCOME_WIDTH);
  return `  ${oneLine(name).padEnd(width)}  ${paint(STYLES[outcome], words)}  ${oneLine(reason)}`;
}
