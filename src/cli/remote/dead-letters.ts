import type { DeadLetterCauses } from '../../contract/dead-letter';
import type { Delivery, DeliveryJob } from '../../contract/delivery';
import { CommandFailed } from '../command-failed';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { confirm } from './ask';
import { targetIdOf } from './find-by-name';
import { follow } from './follow';
import type { HubClient, Query } from './hub-client';
import { writeItems, type ListFlags } from './items';
import { note, writeJson, writeLine, writeTable, type Column } from './output';
import { count, counted } from './words';

interface Conditions extends HubFlags {
  target?: string;
  type?: string;
  error?: string;
  since?: string;
  until?: string;
}

const COLUMNS: readonly Column<Delivery>[] = [
  { head: 'created', text: ({ created_at: at }) => at },
  { head: 'id', text: ({ id }) => id },
  { head: 'target', text: ({ target_name: name }) => name },
  { head: 'seq', text: ({ event_seq: seq }) => String(seq) },
  { head: 'type', text: ({ event_type: type }) => type },
  { head: 'entity', text: ({ entity }) => entity ?? '' },
  {
    head: 'error',
    text: ({ note: why, last_status: status, last_error: error }) => why ?? String(status ?? error),
    isFlexible: true,
  },
];

type Cause = DeadLetterCauses['data'][number];

const CAUSE_COLUMNS: readonly Column<Cause>[] = [
  { head: 'target', text: ({ target_name: name }) => name },
  { head: 'error', text: ({ error }) => error ?? 'no attempt' },
  { head: 'dead letters', text: ({ deliveries }) => count(deliveries) },
  { head: 'lanes blocked', text: ({ stop_lanes: lanes }) => count(lanes) },
  { head: 'first failed', text: ({ first_failed_at: at }) => at },
  { head: 'last failed', text: ({ last_failed_at: at }) => at },
];

/** `dead list`. */
export async function listDeadLetters(
  hub: HubClient,
  flags: Conditions & ListFlags & { causes?: true },
): Promise<void> {
  const query = await queryOf(hub, flags);
  if (!flags.causes) return writeItems(hub, '/api/v1/dead-letters', COLUMNS, 'dead letter', flags, query);
  const { data } = await causesOf(hub, query);
  if (flags.json) for (const cause of data) await writeJson(cause);
  else if (data.length === 0) note('There is no dead letter.');
  else await writeTable(CAUSE_COLUMNS, data);
}

const queryOf = async (
  hub: HubClient,
  { target, type, error, since, until }: Conditions,
): Promise<Query> => ({
  target: target && (await targetIdOf(hub, target)),
  type,
  error,
  since,
  until,
});

const causesOf = (hub: HubClient, query: Query) =>
  hub.request<DeadLetterCauses>('GET', '/api/v1/dead-letters/causes', { query });

/** `dead retry` and `discard`: a job at the hub, which is waited for. */
export const changeDeadLetters =
  (action: 'retry' | 'discard') =>
  async (
    hub: HubClient,
    ids: readonly string[],
    flags: Conditions & { all?: true; yes?: true; reason?: string },
  ): Promise<void> => {
    const { all, yes, reason, json } = flags;
    const conditions = await queryOf(hub, flags);
    const isNarrowed = Object.values(conditions).some((value) => value !== undefined);
    if ([ids.length > 0, isNarrowed, all].filter(Boolean).length !== 1)
      throw new CommandFailed(
        EXIT.usage,
        'The command line must say which dead letters.',
        'Give ids, or conditions such as --target, or --all.',
        'command_line_invalid',
      );
    const causes = ids.length > 0 ? null : (await causesOf(hub, conditions)).data;
    // A few retries by id undo nothing.
    if (causes !== null || action === 'discard')
      await confirm(question(action, ids, causes), 'Nothing is changed', yes);
    if (causes?.length === 0 && !json) {
      note('There is no dead letter.');
      return;
    }
    // No more than the question counts, even if others fail meanwhile.
    const failedUntil = causes
      ?.map(({ last_failed_at: at }) => at)
      .reduce((one, other) => (one > other ? one : other), '');
    const selection =
      causes === null ? { ids } : { ...conditions, all, failed_until: failedUntil || undefined };
    const { id } = await hub.request<DeliveryJob>('POST', `/api/v1/deliveries/${action}`, {
      body: { ...selection, reason },
    });
    const job = await follow<DeliveryJob>(
      hub,
      {
        path: `/api/v1/deliveries/jobs/${id}`,
        isEnded: ({ ended_at: at }) => at !== null,
        progress: ({ done, total }) => ({
          done,
          total,
          text: `${count(done)} of ${counted(total, 'dead letter')}`,
        }),
        detached: `${id} runs on at the hub.`,
      },
      flags,
    );
    if (job === null) return;
    if (!json) await writeLine(`${PAST[action]} ${counted(job.done, 'dead letter')}.`);
    if (job.state === 'cancelled') process.exitCode = EXIT.no;
  };

const PAST = { retry: 'Queued again:', discard: 'Discarded' } as const;

function question(
  action: 'retry' | 'discard',
  ids: readonly string[],
  causes: readonly Cause[] | null,
): string {
  const total = causes?.reduce((sum, { deliveries }) => sum + deliveries, 0) ?? ids.length;
  const names = [...new Set(causes?.map(({ target_name: name }) => name))].join(', ');
  const of = names === '' ? '' : ` of ${names}`;
  return `${action === 'retry' ? 'Retry' : 'Discard'} ${counted(total, 'dead letter')}${of}?`;
}
