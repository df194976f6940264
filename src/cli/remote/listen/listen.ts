import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { ListenResult } from '../../../contract/listen';
import type { TargetPatched } from '../../../contract/target';
import { CommandFailed, invalidCommandLine } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { oneLine } from '../../printable';
import type { HubClient } from '../hub-client';
import { note, writeJson, writeLine } from '../output';
import { parseJson } from '../parse-json';
import { withSecretFile } from '../secret-file';
import { untilSignal } from '../until-signal';
import type { Made } from './attempts';
import { Listening } from './listening';
import { LocalReceiver } from './local-receiver';
import { NOT_LOCAL } from './local-addresses';

export interface ListenFlags extends HubFlags {
  forwardTo: string;
  name?: string;
  events?: string[];
  filter?: string;
  since?: string;
  concurrency?: number;
  /** Seconds. */
  keep?: number;
  ephemeral?: true;
  takeOver?: true;
  allowExternal?: true;
  /** False with `--no-excerpt`. */
  excerpt: boolean;
  exitAfter?: number;
  /** Seconds. */
  wait?: number;
  secretOut?: string;
}

/** `listen`: forwards the events of a listener to a URL of this machine, until a signal or its limit. */
export async function listen(hub: HubClient, flags: ListenFlags): Promise<void> {
  const { exitAfter: wanted, wait } = flags;
  const progress = { succeeded: 0 };
  const onEnd = (why: string) => {
    if (why !== 'timeout') return;
    const made = wanted === undefined ? '' : `: ${progress.succeeded} of ${wanted} deliveries succeeded`;
    throw new CommandFailed(EXIT.timedOut, `The time is up${made}.`, '', 'time_up');
  };
  // The limit also ends the wait for a hub that does not answer.
  await untilSignal((signal) => run(hub, flags, progress, signal), onEnd, wait);
  // A connection that the hub does not close would keep it running.
  process.exit(0);
}

async function run(
  hub: HubClient,
  flags: ListenFlags,
  progress: { succeeded: number },
  signal: AbortSignal,
): Promise<void> {
  const receiver = await openReceiver(flags);
  const target = await attach(hub, flags, signal);
  const wanted = flags.exitAfter ?? Infinity;
  const listening: Listening = new Listening(receiver, {
    version: hub.version,
    target,
    concurrency: target.policy.concurrency,
    takeOver: flags.takeOver === true,
    locate: async (ending) => {
      await hub.request('GET', '/api/v1/session', { patient: true, signal: ending });
      const { url, token, caFile } = await hub.hub();
      return { url, token, ...(caFile !== null && { ca: readFileSync(caFile, 'utf8') }) };
    },
    onMade: (made) => void print(made, flags.json === true),
    onConfirmed: ({ status = 0 }: ListenResult) => {
      if (status >= 200 && status < 300) progress.succeeded += 1;
      if (progress.succeeded === wanted) void listening.end();
    },
  });
  signal.addEventListener('abort', () => void listening.end());
  await listening.run();
  if (progress.succeeded < wanted) signal.throwIfAborted();
}

/** @throws CommandFailed if nothing may be sent there */
async function openReceiver({ forwardTo, allowExternal, excerpt }: ListenFlags): Promise<LocalReceiver> {
  const allowed = allowExternal === true;
  const receiver = new LocalReceiver(new URL(forwardTo), { allowExternal: allowed, hasExcerpt: excerpt });
  const reason = receiver.isDenied ? NOT_LOCAL : await receiver.probe();
  if (reason === NOT_LOCAL)
    throw invalidCommandLine(
      `${receiver.url.host} is not on this machine.`,
      'Allow that with --allow-external.',
    );
  if (reason === 'ENOTFOUND')
    throw invalidCommandLine(`There is no host ${receiver.url.hostname}.`, 'Correct --forward-to.');
  return receiver;
}

/** Creates the target, or changes the one of this name by the flags that are given. */
async function attach(hub: HubClient, flags: ListenFlags, signal: AbortSignal): Promise<TargetPatched> {
  const { name = defaultName(), events, filter, since, concurrency, keep, ephemeral, secretOut } = flags;
  const policy = {
    ...(concurrency !== undefined && { concurrency }),
    ...(keep !== undefined && { max_age_s: keep }),
  };
  const body = {
    kind: 'listener' as const,
    attach: true,
    name,
    policy,
    ...(events !== undefined && { events }),
    ...(filter !== undefined && { filter: parseJson('--filter', filter) }),
    ...(since !== undefined && { backfill_since: since }),
    ...(ephemeral && { ephemeral }),
  };
  const make = async (): Promise<TargetPatched> => {
    const target = await hub.request('POST', '/api/v1/targets', { patient: true, signal, body });
    if (target.secret === undefined && since !== undefined)
      note(`"${name}" exists, so --since is ignored; replay earlier events instead.`);
    return target;
  };
  const target = await withSecretFile(secretOut, make, { isReused: true });
  if (target.secret !== undefined) note(`Signing secret, shown only once: ${target.secret}`);
  return target;
}

/** The user and the machine; a name has neither = nor a comma. */
const defaultName = () =>
  oneLine(`${userInfo().username}-${hostname()}`).replaceAll(/[=,]/g, '-').slice(0, 80);

async function print({ delivery, outcome }: Made, json: boolean): Promise<void> {
  const { delivery: id, attempt, headers } = delivery;
  const { status = null, error = null, duration_ms: duration } = outcome;
  const at = new Date().toISOString();
  const event = headers['webhook-id'] ?? '';
  const type = headers['switchboard-event-type'] ?? '';
  if (json)
    return writeJson({
      at,
      event_id: event,
      type,
      delivery_id: id,
      attempt,
      status,
      error,
      duration_ms: duration,
    });
  return writeLine(oneLine(`${at}  ${status ?? error}  ${duration} ms  ${type}  ${event}`));
}
