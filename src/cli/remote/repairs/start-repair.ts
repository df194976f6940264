import type { RepairAction } from '../../../contract/repair';
import { EXIT } from '../../exit-codes';
import { confirm } from '../ask';
import { targetIdsOf } from '../find-by-name';
import type { FollowFlags } from '../follow';
import type { HubClient } from '../hub-client';
import { note } from '../output';
import { counted } from '../words';
import { differing, followRepair, writeRepair } from './repair-verbs';

const DEFAULT_ACTIONS: RepairAction[] = ['changed', 'missing'];

interface RepairFlags extends FollowFlags {
  outage?: string[];
  baseline?: true;
  action?: RepairAction[];
  to?: string[];
  /** Events per second. */
  rate?: number;
  requestsPerMinute?: number;
  dryRun?: true;
  yes?: true;
}

/** `repair`: reads the deals, shows what differs, asks, and sends that. */
export async function startRepair(hub: HubClient, flags: RepairFlags): Promise<void> {
  const { outage, baseline, action: actions = DEFAULT_ACTIONS, to, rate, dryRun, yes, json } = flags;
  const ids = to && (await targetIdsOf(hub, to));
  const started = await hub.request('POST', '/api/v1/repairs', {
    body: {
      purpose: baseline ? 'baseline' : 'repair',
      ...(outage && { outage_ids: outage }),
      ...(flags.requestsPerMinute !== undefined && { requests_per_minute: flags.requestsPerMinute }),
    },
  });
  const read = await followRepair(hub, started.id, flags);
  if (read === null) return;
  if (!json) await writeRepair(hub, read, dryRun || baseline ? process.stdout : process.stderr);
  if (read.state !== 'previewed') return;
  if (dryRun) {
    if (differing(read) > 0) process.exitCode = EXIT.no;
    return;
  }
  const items = actions.reduce((sum, action) => sum + read.counts[action], 0);
  if (items === 0) return void note('Nothing of this differs: nothing is sent.');
  await confirm(`Send what was missed of ${counted(items, 'deal')}?`, 'Not repaired', yes);
  await hub.request('POST', '/api/v1/repairs/{id}/apply', {
    path: { id: read.id },
    body: {
      actions,
      ...(ids && { target_ids: ids }),
      ...(rate !== undefined && { events_per_second: rate }),
    },
  });
  const done = await followRepair(hub, read.id, flags);
  if (done !== null && !json) await writeRepair(hub, done);
}
