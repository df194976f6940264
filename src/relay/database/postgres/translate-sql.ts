/** How many translated statements are kept: those of the features are some hundreds, some with generated parts. */
const MAX_KEPT = 2_000;

/** The name of a type that a parameter is given as, or '' for null. */
type ParameterType = 'bigint' | 'float8' | 'text' | 'bytea' | '';

/** Quoted texts, quoted names and comments stay; `?` and `@name` are parameters. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\/\*.*?\*\/|\?|@([a-z]\w*)/gi;

const listOf = (parameter: string, of: string) =>
  `SELECT jsonb_array_elements_text(${parameter}::jsonb)::${of === 'texts' ? 'text' : 'bigint'}`;

type Rule = [pattern: RegExp, replacement: string | ((...parts: string[]) => string)];

/** The counterparts of `dialect.ts`. `glob`, `min` and `max` of two values are functions of the schema. */
const RULES: readonly Rule[] = [
  // With an array the planner uses the index of the column; with a subquery it may read the whole table.
  [
    /\bNOT IN \(SELECT value FROM json_each\((\$\d+) \/\* (\w+) \*\/\)\)/g,
    (_, parameter, of) => `<> ALL (ARRAY(${listOf(parameter, of)}))`,
  ],
  [
    /\bIN \(SELECT value FROM json_each\((\$\d+) \/\* (\w+) \*\/\)\)/g,
    (_, parameter, of) => `= ANY (ARRAY(${listOf(parameter, of)}))`,
  ],
  [/\bNOT IN \(\)/g, `<> ALL ('{}')`],
  [/\bIN \(\)/g, `= ANY ('{}')`],
  [
    /\bjson_each\((\$\d+) \/\* (\w+) \*\/\) (\w+)/g,
    (_, parameter, of, alias) => `(${listOf(parameter, of)} AS value) ${alias}`,
  ],
  [/\bjson_group_array\(([\w.]+)\)/g, `coalesce(json_agg($1), '[]')::text`],
  [/ INDEXED BY \w+/g, ''],
  [/\bversion_of\((\w+)\.body\)/g, '$1.version'],
  [/\bSELECT 1 AS held \/\* appends \*\//g, 'SELECT seq FROM last_event FOR UPDATE'],
  [/\bCROSS JOIN\b/g, 'JOIN'],
  // SQLite's LIKE ignores the case of A to Z.
  [/ LIKE /g, ' ILIKE '],
  // TypeORM quotes names.
  [/\btemp\.removed_events\b/g, 'pg_temp.removed_events'],
];

const kept = new Map<string, Translated>();

interface Translated {
  text: string;
  /** The names of the parameters, in their order, if they are bound by name. */
  names: readonly string[];
  /** Whether the parameters are `?` or `@name`; PostgreSQL's own are `$1`. */
  isPortable: boolean;
}

/** Translates a statement of a feature or TypeORM. @param parameters for each `?` or `$1`, or one object for `@name` */
export function translateSql(sql: string, parameters: readonly unknown[]): [sql: string, values: unknown[]] {
  const { text, names, isPortable } = keep(sql, () => translate(sql));
  const [named] = parameters as [Record<string, unknown> | undefined];
  const values = names.length === 0 ? [...parameters] : names.map((name) => named?.[name]);
  if (!isPortable || values.length === 0) return [text, values];
  const types = values.map(typeOf);
  return [
    keep(`${types.join()} ${sql}`, () => ({ text: withTypes(text, types), names, isPortable })).text,
    values,
  ];
}

/** Like SQLite, which knows the types of values, and not those that PostgreSQL would infer from where they stand. */
const withTypes = (text: string, types: readonly ParameterType[]) =>
  text.replaceAll(/\$(\d+)/g, (parameter, place: string) => {
    const type = types[Number(place) - 1] ?? '';
    return type === '' ? parameter : `${parameter}::${type}`;
  });

function typeOf(value: unknown): ParameterType {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return 'text';
  if (value instanceof Uint8Array) return 'bytea';
  return typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value)
    ? 'float8'
    : 'bigint';
}

function keep(key: string, make: () => Translated): Translated {
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const made = make();
  kept.set(key, made);
  return made;
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
  return { text, names, isPortable: positions + names.length > 0 };
}
