import { writeFileSync } from 'node:fs';
import type { PayloadNode, PayloadTypes } from '../../../contract/payload-type';
import { CommandFailed } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { oneLine } from '../../printable';
import { confirmReplacing } from '../ask';
import { writeFacts } from '../facts';
import { readText, useFile } from '../files';
import type { HubClient } from '../hub-client';
import { note, paint, write, writeJson, writeLine, writeTable, type Column } from '../output';
import { count } from '../words';
import { compareExports, formatOf, type Difference } from './compare-exports';

export interface ExportFlags extends HubFlags {
  format?: ReturnType<typeof formatOf>;
  type?: string[];
  output?: string;
  check?: string;
  allow?: 'additions';
  yes?: true;
}

/** `types`: the types of all payloads, as the hub knows them, or whether a file has them. */
export async function exportTypes(hub: HubClient, flags: ExportFlags): Promise<void> {
  const { check, output, yes, format, type } = flags;
  if (check !== undefined) return checkTypes(hub, check, flags);
  await confirmReplacing(output, yes);
  const text = await readExport(hub, format, type);
  if (output === undefined) await write(text);
  else useFile(output, 'written', () => writeFileSync(output, text));
}

async function checkTypes(hub: HubClient, file: string, { type, allow, json }: ExportFlags): Promise<void> {
  const before = readText(file);
  const format = asExport(file, () => formatOf(before));
  const after = await readExport(hub, format, type);
  const differences = asExport(file, () => compareExports(before, after));
  for (const one of differences) await (json ? writeJson(one) : writeLine(oneLine(describe(one))));
  const counts = allow === undefined ? () => true : (one: Difference) => one.before !== null;
  if (differences.some(counts)) process.exitCode = EXIT.no;
}

function asExport<Result>(file: string, read: () => Result): Result {
  try {
    return read();
  } catch {
    throw new CommandFailed(
      EXIT.config,
      `${file} is no export of types.`,
      'Write it with -o.',
      'file_invalid',
    );
  }
}

function describe({ path, before, after }: Difference): string {
  if (before === null) return `${paint('green', '+')} ${path}: ${after}`;
  return after === null
    ? `${paint('red', '-')} ${path}: ${before}`
    : `${paint('yellow', '~')} ${path}: ${before} → ${after}`;
}

async function readExport(
  hub: HubClient,
  format: ExportFlags['format'],
  type: readonly string[] | undefined,
): Promise<string> {
  return (await hub.open('/api/v1/types/export', { query: { format, type: type && [...type] } })).text();
}

const COLUMNS: readonly Column<PayloadTypes['data'][number]>[] = [
  { head: 'type', text: ({ type }) => type },
  {
    head: 'state',
    text: ({ state }) => state,
    style: ({ state }) => (state === 'changed' ? 'yellow' : undefined),
  },
  { head: 'version', text: ({ version }) => String(version ?? '') },
  { head: 'since', text: ({ version_at: at }) => at ?? '' },
  { head: 'events', text: ({ events }) => count(events) },
  { head: 'last event', text: ({ last_seen_at: at }) => at },
];

/** `types list`. */
export async function listTypes(hub: HubClient, { json }: HubFlags): Promise<void> {
  const { data } = await hub.request('GET', '/api/v1/types');
  if (json) for (const one of data) await writeJson(one);
  else if (data.length === 0) note('No payload was examined.');
  else await writeTable(COLUMNS, data);
}

interface PathRow {
  path: string;
  node: PayloadNode;
}

const PATH_COLUMNS: readonly Column<PathRow>[] = [
  { head: 'path', text: ({ path }) => path },
  { head: 'types', text: ({ node }) => Object.keys(node.types).join(' | ') },
  { head: 'in', text: ({ node }) => (node.required ? 'all' : `${(100 * node.share).toFixed(1)} %`) },
  {
    head: 'details',
    text: ({ node: { formats = [], values = [] } }) => [...formats, ...values].join(', '),
    isFlexible: true,
  },
];

/** `types show`. */
export async function showType(
  hub: HubClient,
  type: string,
  { of: version, json }: HubFlags & { of?: number },
): Promise<void> {
  const found = await hub.request('GET', '/api/v1/types/{type}', { path: { type }, query: { version } });
  if (json) return writeJson(found);
  writeFacts([
    ['type', found.type],
    ['state', found.state],
    ['version', found.version],
    ['since', found.version_at],
    ['events', count(found.events)],
    ['examined', count(found.examined)],
  ]);
  await writeTable(PATH_COLUMNS, [...rowsOf(found.root as unknown as PayloadNode, '')]);
}

function* rowsOf({ properties = {}, map, items }: PayloadNode, path: string): Generator<PathRow> {
  const parts: [path: string, node: PayloadNode | undefined][] = [
    ...Object.entries(properties).map(([key, node]): [string, PayloadNode] => [
      path === '' ? key : `${path}.${key}`,
      node,
    ]),
    [`${path}.*`, map],
    [`${path}[]`, items],
  ];
  for (const [inner, node] of parts) {
    if (node === undefined) continue;
    yield { path: inner, node };
    yield* rowsOf(node, inner);
  }
}

/** `types accept`. */
export async function acceptType(hub: HubClient, type: string, { json }: HubFlags): Promise<void> {
  const accepted = await hub.request('POST', '/api/v1/types/{type}/accept', { path: { type } });
  await (json
    ? writeJson(accepted)
    : writeLine(oneLine(`Accepted ${type}, version ${accepted.version ?? 'none yet'}.`)));
}
