import type { DataSource } from 'typeorm';
import type { Journal } from '../database/journal/journal';
import { insert, type Statement } from '../database/journal/statements';
import { runAsSystem } from '../ground/audit-context';
import type { Log } from '../ground/log';
import { RelayError, StartupError } from '../ground/relay-error';
import type { Settings } from '../settings/settings';
import type { NewTarget, TargetRecord } from './target-record';

type Entry = Settings['targets'][number];

interface Parts {
  source: DataSource;
  journal: Journal;
  log: Log;
  /** The targets that exist. */
  existing: () => readonly TargetRecord[];
  create: (target: NewTarget, alongside: (id: string) => Statement[]) => Promise<unknown>;
}

/**
 * Creates the targets of SWITCHBOARD_TARGETS, each once: what an operator has changed or deleted since stays so.
 * @throws StartupError if an entry cannot be used
 */
export async function createConfiguredTargets(
  { targets, targetSecrets }: Pick<Settings, 'targets' | 'targetSecrets'>,
  { source, journal, log, existing, create }: Parts,
): Promise<void> {
  const rows = await source.query<{ name: string; target_id: string }[]>('SELECT * FROM configured_targets');
  const created = new Map(rows.map(({ name, target_id: id }) => [name, id]));
  for (const entry of targets) {
    const record = (id: string) => [insert('configured_targets', { name: entry.name, target_id: id })];
    const id = created.get(entry.name) ?? existing().find(({ name }) => name === entry.name)?.id;
    if (id === undefined) {
      await orStartupError(() => create(definitionOf(entry, targetSecrets.get(entry.name)), record));
      continue;
    }
    // Created by an earlier version, or by an operator.
    if (!created.has(entry.name)) await journal.change({ statements: record(id) });
    const changes = changesOf(
      entry,
      existing().find((target) => target.id === id),
    );
    if (changes.length > 0) log.info({ entry: entry.name, target: id, changes }, LEFT_ALONE);
  }
}

const LEFT_ALONE =
  'an entry of SWITCHBOARD_TARGETS is left alone: its target was created before, and differs from it now';

/** In what a target differs from its entry. */
function changesOf({ name, url }: Entry, target: TargetRecord | undefined): string[] {
  if (target === undefined) return ['deleted'];
  return [
    ...(target.name === name ? [] : ['name']),
    ...(target.url === url ? [] : ['url']),
    ...(target.enabled ? [] : ['disabled']),
    ...(target.paused === null ? [] : ['paused']),
  ];
}

const definitionOf = ({ name, url }: Entry, secret: string | undefined): NewTarget => ({
  format: 'json',
  filter: null,
  enabled: true,
  policy: {},
  tls: null,
  headers: [],
  name,
  url,
  ...(secret !== undefined && { secret }),
});

async function orStartupError(create: () => Promise<unknown>): Promise<void> {
  try {
    await runAsSystem({ action: 'target.create' }, create);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const { message: what, remedy = 'Correct the entry.' } = error;
    throw new StartupError({ where: 'SWITCHBOARD_TARGETS', what, remedy });
  }
}
