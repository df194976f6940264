/** How many translated statements are kept: those of the features are a few hundred, some with generated parts. */
const MAX_KEPT = 2_000;

/** A statement for PostgreSQL, and the names of its parameters if they are bound by name. */
export interface Translated {
  text: string;
  names: readonly string[] | null;
}

/** Texts, quoted names and comments stay; `?` and `@name` are parameters. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\/\*.*?\*\/|\?|@([a-z]\w*)/gi;

const listOf = (parameter: string, of: string) =>
  `SELECT jsonb_array_elements_text(${parameter}::jsonb)::${of === 'texts' ? 'text' : 'bigint'}`;

type Rule = [pattern: RegExp, replacement: string | ((...parts: string[]) => string)];

/** The counterparts of `dialect.ts` and `body-text.ts`. `glob`, `instr`, `min` and `max` are functions of the schema. */
const RULES: readonly Rule[] = [
  // With an array the planner uses the index of the column; with a subquery it may read the whole table.
  [
    /\bNOT IN \(SELECT value FROM json_each\((\$\d+) \/\* (\w+) \*\/\)\)/g,
    (_, parameter, of) => `<> ALL (ARRAY(${listOf(parameter!, of!)}))`,
  ],
  [
    /\bIN \(SELECT value FROM json_each\((\$\d+) \/\* (\w+) \*\/\)\)/g,
    (_, parameter, of) => `= ANY (ARRAY(${listOf(parameter!, of!)}))`,
  ],
  [
    /\bjson_each\((\$\d+) \/\* (\w+) \*\/\) (\w+)/g,
    (_, parameter, of, alias) => `(${listOf(parameter!, of!)} AS value) ${alias}`,
  ],
  [/\bjson_group_array\(([\w.]+)\)/g, `coalesce(json_agg($1), '[]')::text`],
  [/ INDEXED BY \w+/g, ''],
  [/\bCROSS JOIN\b/g, 'JOIN'],
  // SQLite's LIKE ignores the case of A to Z, and its `lower` changes only those.
  [/ LIKE /g, ' ILIKE '],
  [/\blower\(/g, 'lower_latin('],
  [/\bCAST\((\w+\.)?body AS TEXT\)/g, 'body_text($1body)'],
  [/\btemp\.removed_events\b/g, 'pg_temp.removed_events'],
];

const kept = new Map<string, Translated>();

/** Translates a statement of `dialect.ts` and its parameters, or returns one for PostgreSQL unchanged. */
export function translateSql(sql: string): Translated {
  const known = kept.get(sql);
  if (known !== undefined) return known;
  const translated = translate(sql);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(sql, translated);
  return translated;
}

function translate(sql: string): Translated {
  const names: string[] = [];
  let positions = 0;
  const numbered = sql.replace(TOKENS, (token, name: string | undefined) => {
    if (token === '?') return `$${(positions += 1)}`;
    if (name === undefined) return token;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const text = RULES.reduce(
    (rest, [pattern, replacement]) => rest.replace(pattern, replacement as string),
    numbered,
  );
  return { text, names: names.length === 0 ? null : names };
}
