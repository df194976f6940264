import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxEvent } from '../../contract/sandbox';
import { CommandFailed, invalidCommandLine } from '../command-failed';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { oneLine } from '../printable';
import { textOrFile } from './files';
import { targetIdOf } from './find-by-name';
import type { HubClient } from './hub-client';
import { writeJson, writeLine } from './output';
import { jsonOrText, parseJson } from './parse-json';
import { writeOutcome } from './targets/target-view';
import { counted } from './words';

interface TriggerFlags extends HubFlags {
  data?: string;
  override?: string[];
  raw?: string;
  count: number;
  /** Per second. */
  rate?: number;
  to?: string[];
}

/** `trigger`: has the sandbox send an event, or sends one to targets as a test. */
export async function trigger(hub: HubClient, type: string, flags: TriggerFlags): Promise<void> {
  const { raw, to, rate, json } = flags;
  const data = raw === undefined ? await dataOf(hub, type, flags) : undefined;
  const send = to
    ? testOf(hub, { type, data, raw: raw && textOrFile(`@${raw}`) }, to, json)
    : await emissionOf(hub, { type, data } as SandboxEvent, flags);
  for (let sent = 0; sent < flags.count; sent += 1) {
    if (sent > 0 && rate !== undefined) await pause(1_000 / rate);
    await send();
  }
}

const testOf =
  (hub: HubClient, body: object, targets: readonly string[], json: true | undefined) =>
  async (): Promise<void> => {
    for (const target of targets) {
      const path = { id: await targetIdOf(hub, target) };
      const outcome = await hub.request('POST', '/api/v1/targets/{id}/test', { path, body });
      if (!(await writeOutcome(target, outcome, json))) process.exitCode = EXIT.no;
    }
  };

/** @throws CommandFailed if the hub has no sandbox */
async function emissionOf(
  hub: HubClient,
  body: SandboxEvent,
  { raw, json }: TriggerFlags,
): Promise<() => Promise<void>> {
  const { sandbox } = await hub.request('GET', '/api/v1/session');
  if (!sandbox || raw !== undefined)
    throw invalidCommandLine(
      sandbox ? 'The sandbox sends no raw body.' : 'This hub has no sandbox that could send an event.',
      'Send a test to a target with --to.',
    );
  return async () => {
    const emitted = await hub.request('POST', '/api/v1/sandbox/events', { body });
    await (json
      ? writeJson(emitted)
      : writeLine(oneLine(`Sent ${emitted.type} to ${counted(emitted.webhooks, 'webhook')}.`)));
  };
}

/** @returns undefined if the hub is to make it up */
async function dataOf(hub: HubClient, type: string, { data, override }: TriggerFlags): Promise<unknown> {
  if (data !== undefined && override === undefined) return parseJson('--data', data);
  if (override === undefined) return undefined;
  const base = data === undefined ? await newestData(hub, type) : parseJson('--data', data);
  const event = { data: structuredClone(base) };
  for (const text of override) setField(event, text);
  return event.data;
}

async function newestData(hub: HubClient, type: string): Promise<unknown> {
  const { data } = await hub.request('GET', '/api/v1/events', { query: { type: [type], limit: 1 } });
  if (data[0] !== undefined) {
    const body = await hub.open('/api/v1/events/{id}/body', { path: { id: data[0].id } });
    return ((await body.json()) as { data?: unknown }).data;
  }
  throw new CommandFailed(
    EXIT.failed,
    `No event of the type ${type} is stored, whose data could be changed.`,
    'Give all of it with --data.',
    'event_unknown',
  );
}

/** @param text `data.<path>=<value>`, with a value in JSON or a text */
function setField(event: object, text: string): void {
  const [, path, value = ''] = /^(data(?:\.[^.=]+)+)=(.*)$/s.exec(text) ?? [];
  const names = path?.split('.') ?? [];
  const last = names.pop();
  if (last === undefined)
    throw invalidCommandLine(
      `--override ${text} names no field of the data.`,
      'Give such as data.status_id=4.',
    );
  let parent = event as Record<string, unknown>;
  for (const name of names) {
    const next = Object.hasOwn(parent, name) ? parent[name] : null;
    parent = (parent[name] = typeof next === 'object' && next !== null ? next : {}) as Record<
      string,
      unknown
    >;
  }
  parent[last] = jsonOrText(value);
}
