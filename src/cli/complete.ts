import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import type { HubFlags } from './definitions/hub-flags';
import { openHub } from './open-hub';
import { oneLine } from './printable';
import { NAMES } from './remote/names';

/** A shell waits for this at Tab. */
const LIMIT_MS = 300;
/** For how long names are kept, and that there are none. */
const KEPT_MS = 60_000;

/** `__complete`: prints what may stand in place of the last word, one a line. */
export async function complete(words: readonly string[], _: object, { parent }: Command): Promise<void> {
  const last = words.at(-1) ?? '';
  const found = await candidates(parent!, words.slice(0, -1), last);
  const fitting = found.filter((one) => one.startsWith(last)).map(oneLine);
  process.stdout.write(fitting.map((one) => `${one}\n`).join(''));
}

async function candidates(
  root: Command,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  let command = root;
  let open: Option | undefined;
  let given = 0;
  const flags: Record<string, string> = {};
  for (const word of before) {
    if (open !== undefined) {
      flags[open.attributeName()] = word;
      open = undefined;
    } else if (word.startsWith('-')) {
      open = command.options.find((one) => (one.long === word || one.short === word) && one.required);
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) given += 1;
      command = next ?? command;
    }
  }
  if (open !== undefined) return open.argChoices ?? namesOf(open.attributeName(), flags);
  if (last.startsWith('-')) return [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  const below = command.commands.map((one) => one.name()).filter((name) => !name.startsWith('_'));
  const argument =
    command.registeredArguments[given] ?? command.registeredArguments.find(({ variadic }) => variadic);
  const names = argument?.argChoices ?? (argument === undefined ? [] : await namesOf(argument.name(), flags));
  return [...below, ...names];
}

/** Names of a kind at the hub, kept for a minute, because a shell asks at each Tab; none if it takes too long. */
async function namesOf(kind: string, flags: HubFlags): Promise<readonly string[]> {
  const read = NAMES[kind];
  if (read === undefined) return [];
  const { SWITCHBOARD_HUB, SWITCHBOARD_PROFILE, DATA_DIR, XDG_CACHE_HOME } = process.env;
  const key = JSON.stringify([kind, flags, SWITCHBOARD_HUB, SWITCHBOARD_PROFILE, DATA_DIR, process.cwd()]);
  const folder = join(XDG_CACHE_HOME?.trim() || join(homedir(), '.cache'), 'switchboard');
  const file = join(folder, `names-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`);
  const kept = attempt(() =>
    Date.now() - statSync(file).mtimeMs < KEPT_MS
      ? (JSON.parse(readFileSync(file, 'utf8')) as string[])
      : null,
  );
  if (kept !== null) return kept;
  const keep = (names: readonly string[]) =>
    attempt(() => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, JSON.stringify(names));
    });
  // Whatever is under way, such as a command for a token, must not hold the shell.
  const timer = setTimeout(() => {
    keep([]);
    process.exit(0);
  }, LIMIT_MS);
  const names = await read(openHub({ ...flags, timeout: LIMIT_MS / 1_000 })).catch(() => []);
  clearTimeout(timer);
  keep(names);
  return names;
}

function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}
