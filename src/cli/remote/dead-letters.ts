import type { DeadLetterCauses } from '../../contract/dead-letter';
import type { Delivery, DeliveryJob } from '../../contract/delivery';
import type { DeliveryJobDetail } from '../../contract/delivery-job';
import { CommandFailed, invalidCommandLine } from '../command-failed';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { confirm } from './ask';
import { targetIdOf } from './find-by-name';
import { follow, type FollowFlags, type Work } from './follow';
import type { HubClient } from './hub-client';
import { writeItems, type ListFlags } from './items';
import { note, writeJson, writeLine, writeTable, type Column } from './output';
import { describeWaiting, sum } from './replays/replay-view';
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
  if (!flags.causes)
    return writeItems(
      (page) => hub.request('GET', '/api/v1/dead-letters', { query: { ...query, ...page } }),
      COLUMNS,
      'dead letter',
      flags,
    );
  const { data } = await causesOf(hub, query);
  if (flags.json) for (const cause of data) await writeJson(cause);
  else if (data.length === 0) note('There is no dead letter.');
  else await writeTable(CAUSE_COLUMNS, data);
}

const queryOf = async (hub: HubClient, { target, type, error, since, until }: Conditions) => ({
  target: target === undefined ? undefined : await targetIdOf(hub, target),
  type,
  error,
  since,
  until,
});

const causesOf = (hub: HubClient, query: Awaited<ReturnType<typeof queryOf>>) =>
  hub.request('GET', '/api/v1/dead-letters/causes', { query });

interface ChangeFlags extends Conditions, FollowFlags {
  all?: true;
  yes?: true;
  reason?: string;
  detach?: true;
}

/** `dead retry` and `discard`: a job at the hub, which is waited for, as are the deliveries that a retry creates. */
export const changeDeadLetters =
  (action: 'retry' | 'discard') =>
  async (hub: HubClient, ids: string[], flags: ChangeFlags): Promise<void> => {
    const { all, yes, reason, detach, json } = flags;
    const conditions = await queryOf(hub, flags);
    const isNarrowed = Object.values(conditions).some((value) => value !== undefined);
    if ([ids.length > 0, isNarrowed, all].filter(Boolean).length !== 1)
      throw invalidCommandLine(
        'The command line must say which dead letters.',
        'Give ids, or conditions such as --target, or --all.',
      );
    const causes = ids.length > 0 ? null : (await causesOf(hub, conditions)).data;
    if (causes?.length === 0 && process.stdin.isTTY) return void note(NONE);
    // A few retries by id undo nothing.
    if (causes !== null || action === 'discard')
      await confirm(question(action, ids, causes), 'Nothing is changed', yes);
    // No more than the question counts, even if others fail meanwhile.
    const failedUntil = causes
      ?.map(({ last_failed_at: at }) => at)
      .toSorted()
      .at(-1);
    const selection = causes === null ? { ids } : { ...conditions, all, failed_until: failedUntil };
    const started = await hub.request('POST', `/api/v1/deliveries/${action}`, {
      // Required for `discard`, as a flag.
      body: { ...selection, reason: reason! },
    });
    if (started.total === 0 && ids.length > 0)
      throw new CommandFailed(
        EXIT.failed,
        'There is no such dead letter.',
        'List them with "switchboard dead list".',
        'delivery_unknown',
      );
    if (started.total === 0 && !json) return void note(NONE);
    if (detach)
      return json
        ? writeJson(started)
        : writeLine(`${started.id} runs for ${counted(started.total, LETTER)}.`);
    const job = await follow(workOf(hub, started), flags);
    if (job === null) return;
    if (!json) await writeLine(`${describe(job)}.`);
    if (job.state === 'cancelled' || sum(job, 'dead') + sum(job, 'cancelled') > 0) process.exitCode = EXIT.no;
  };

const LETTER = 'dead letter';
const NONE = `There is no ${LETTER}.`;

const workOf = (hub: HubClient, { id }: DeliveryJob): Work<DeliveryJobDetail> => ({
  read: (options) => hub.request('GET', '/api/v1/deliveries/jobs/{id}', { path: { id }, ...options }),
  isEnded: (job) => job.ended_at !== null && (job.state === 'cancelled' || sum(job, 'open') === 0),
  progress: (job) => ({ done: job.done - sum(job, 'open'), total: job.total, text: describe(job) }),
  waits: describeWaiting,
  detached: `${id} runs on at the hub.`,
});

/** How far a job is, in words. */
function describe(job: DeliveryJobDetail): string {
  const { action, done, total } = job;
  const letters = `${done === total ? '' : `${count(done)} of `}${counted(total, LETTER)}`;
  if (action === 'discard') return `Discarded ${letters}`;
  const outcomes = (['succeeded', 'dead', 'cancelled', 'open'] as const)
    .map((outcome) => [sum(job, outcome), OUTCOMES[outcome]] as const)
    .filter(([deliveries]) => deliveries > 0)
    .map(([deliveries, words]) => `${count(deliveries)} ${words}`);
  return [`Retried ${letters}`, ...outcomes].join(', ');
}

const OUTCOMES = {
  succeeded: 'delivered',
  dead: 'dead again',
  cancelled: 'cancelled',
  open: 'queued',
} as const;

function question(
  action: 'retry' | 'discard',
  ids: readonly string[],
  causes: readonly Cause[] | null,
): string {
  const total = causes?.reduce((all, { deliveries }) => all + deliveries, 0) ?? ids.length;
  const names = [...new Set(causes?.map(({ target_name: name }) => name))].join(', ');
  const of = names === '' ? '' : ` of ${names}`;
  return `${action === 'retry' ? 'Retry' : 'Discard'} ${counted(total, LETTER)}${of}?`;
}
