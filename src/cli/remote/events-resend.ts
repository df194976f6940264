import { text as readAll } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from '../../contract/delivery';
import { CommandFailed } from '../command-failed';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { oneLine } from '../printable';
import { edited } from './editor';
import { textOrFile } from './files';
import { eventIdOf, targetIdOf } from './find-by-name';
import type { HubClient } from './hub-client';
import { note, writeJson, writeLine } from './output';

const POLL_MS = 500;
/** Of `--wait` without a number. */
const WAIT_S = 60;

interface ResendFlags extends HubFlags {
  to: string[];
  edit?: true;
  body?: string;
  wait?: true | number;
}

/** `events resend`: queues an event again for targets, also with another body. */
export async function resend(hub: HubClient, given: string, flags: ResendFlags): Promise<void> {
  const id = await eventIdOf(hub, given);
  const target_ids = await Promise.all(flags.to.map((target) => targetIdOf(hub, target)));
  const body = flags.edit ? await editedBody(hub, id) : await bodyOf(flags.body);
  if (body === null) {
    note('The text is unchanged, so nothing is sent.');
    return;
  }
  const queued =
    body === undefined
      ? await hub.request('POST', '/api/v1/events/{id}/replay', { path: { id }, body: { target_ids } })
      : await hub.request('POST', '/api/v1/events/{id}/resend', { path: { id }, body: { target_ids, body } });
  if (flags.wait === undefined) {
    if (flags.json) await writeJson(queued);
    else for (const delivery of queued.delivery_ids) await writeLine(`Queued ${delivery}.`);
    return;
  }
  const waitMs = 1_000 * (flags.wait === true ? WAIT_S : flags.wait);
  const deadline = performance.now() + waitMs;
  for (const delivery of queued.delivery_ids)
    await report(await finished(hub, delivery, deadline), flags.json);
}

const bodyOf = async (given: string | undefined) =>
  given === '-' ? readAll(process.stdin) : given && textOrFile(`@${given}`);

/** The body as the operator's editor leaves it; null if that is how it was. */
async function editedBody(hub: HubClient, id: string): Promise<string | null> {
  const before = await (await hub.open('/api/v1/events/{id}/body', { path: { id } })).text();
  return edited(before, 'body.json', async (after) => (after === before ? null : after));
}

/** @throws CommandFailed if it takes too long */
async function finished(hub: HubClient, id: string, deadline: number): Promise<Delivery> {
  for (;;) {
    const delivery = await hub.request('GET', '/api/v1/deliveries/{id}', { path: { id } });
    if (delivery.finished_at !== null) return delivery;
    if (performance.now() > deadline)
      throw new CommandFailed(
        EXIT.timedOut,
        `The delivery ${id} is not finished (${delivery.state}); it goes on.`,
        'Wait longer with --wait <seconds>.',
        'time_is_up',
      );
    await pause(POLL_MS);
  }
}

async function report(delivery: Delivery, json: true | undefined): Promise<void> {
  const { id, target_name: name, state, last_status: status, last_error: error } = delivery;
  if (state !== 'succeeded') process.exitCode = EXIT.no;
  if (json) return writeJson(delivery);
  await writeLine(oneLine(`${name}: ${state} (${status ?? error ?? 'no attempt'}), ${id}.`));
}
