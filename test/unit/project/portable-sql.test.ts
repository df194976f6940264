import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from '../../support/tracked-files';

const ROOT = join(__dirname, '../../..');

/** SQL that only SQLite understands, or understands differently than PostgreSQL, with its replacement. */
const REJECTED: [what: string, pattern: RegExp, instead: string][] = [
  ['json_… functions', /\bjson_(each|tree|extract|group_array|array|object|type)\b/, 'dialect.ts'],
  ['forced indexes', /\b(NOT INDEXED|INDEXED BY)\b/, 'withIndex'],
  ['CROSS JOIN, which fixes the order of a join', /\bCROSS JOIN\b/, 'JOIN_IN_ORDER, or a comma'],
  ['hints by unary plus', /\b(WHERE|AND|ON|BY) \+\w/, 'withIndex'],
  ['GLOB', /\bGLOB\b/, 'matchesPattern'],
  ['instr', /(?<![.\w])instr\(/, 'bodyConditions'],
  ['functions of this program', /\bmeet_conditions\b/, 'Reader'],
  ['min and max of several values', /(?<![.\w])(min|max)\((?:[^()]|\([^()]*\))*,/, 'lesser, greater'],
  ['sums of conditions', /\bsum\([^()]*([<>=]|\bIS\b)/, 'count(*) FILTER (WHERE …)'],
  ['conditions compared with IS', /\bIS (NOT )?(\(|CASE|[?@:'\d])/, 'IS [NOT] DISTINCT FROM'],
  ['conflict clauses of a statement', /\b(INSERT|UPDATE) OR [A-Z]|\bREPLACE INTO\b/, 'ON CONFLICT'],
  ['$name parameters', /(?<=[=<>] ?|\b(BETWEEN|AND) )\$[a-z]\w*/, '@name'],
  ['blob literals', /(?<!\w)x'[\da-f]*'/i, 'a parameter'],
  ['dates', /\b(strftime|julianday|unixepoch)\b|'now'/, 'a parameter'],
  ['hidden row ids', /\b(_?rowid_?|last_insert_rowid|WITHOUT ROWID|AUTOINCREMENT)\b/, 'a key column'],
  [
    'schema names',
    /(?<![.\w'])(temp|main)\.[a-z_]+ |\bsqlite_(master|schema|stat1|sequence)\b/,
    'dialect.ts',
  ],
  ['functions under names of SQLite', /\b(ifnull|iif|group_concat|randomblob|changes)\(/, 'standard SQL'],
  ['statements about the file', /\b(PRAGMA|ATTACH|VACUUM|ANALYZE|REINDEX)\b|\.pragma\(/, 'Journal'],
  ['all rows as a negative limit', /\bLIMIT -1\b/, 'no LIMIT'],
];

/** `move` reads one engine and writes the other, so it knows both. */
const files = trackedFiles()
  .filter((file) => /^src\/relay\/(?!database\/|move\/).+\.ts$/.test(file))
  .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const);

it.each(REJECTED)(
  'SQL outside src/relay/database and src/relay/move does not use %s',
  (_, pattern, instead) => {
    const found = files.flatMap(([file, text]) => {
      const [match] = pattern.exec(text) ?? [];
      return match === undefined ? [] : [`${file}: "${match}". Instead: ${instead}`];
    });
    expect(found).toEqual([]);
  },
);
