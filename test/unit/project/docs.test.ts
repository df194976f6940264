import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { createProgram } from '../../../src/cli/definitions/program';
import { trackedFiles } from '../../support/tracked-files';

const root = join(__dirname, '../../..');
const tracked = trackedFiles();
const docs = tracked.filter((file) => /^([^/]+|(docs|bench)\/.+)\.md$/.test(file));
const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as object);
const commands = createProgram().commands;

describe.each(docs)('%s', (doc) => {
  const text = readFileSync(join(root, doc), 'utf8');
  const code = [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(
    ([, block, inline]) => block ?? inline ?? '',
  );

  it('links to files of the repository, and to headings that they have', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
      ([, link, attribute]) => link ?? attribute ?? '',
    );
    const inside = links.filter((link) => !/^(https?|mailto):/.test(link));
    expect(inside.filter((link) => !isValidLink(doc, link))).toEqual([]);
  });

  it('names scripts, programs, commands and options that exist', () => {
    const wrong = code.flatMap((part) => part.split('\n').flatMap((line) => unknownCommands(line)));
    expect(wrong).toEqual([]);
  });

  it('names source files that exist', () => {
    const named = code.flatMap(
      (part) => part.match(/(?<![\w*.{}<>-])[\w./-]*\w\.(tsx?|mjs|cjs|css)\b(?!\.)/g) ?? [],
    );
    expect(named.filter((file) => !isTracked(file.replace(/^\.\//, '')))).toEqual([]);
  });
});

it('sources and settings files name documents that exist', () => {
  const others = tracked.filter((file) =>
    /^(src|ui\/src|deploy|compose[^/]*|Dockerfile|\.env\.example)\b/.test(file),
  );
  const named = others.flatMap((file) =>
    (readFileSync(join(root, file), 'utf8').match(/\bdocs\/[\w/-]+\.md\b/g) ?? []).map(
      (doc) => `${file}: ${doc}`,
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((one) => !docs.includes(one.split(': ')[1]!))).toEqual([]);
});

it('every row of a table has as many cells as its heading', () => {
  const broken = docs.flatMap((doc) => {
    const lines = readFileSync(join(root, doc), 'utf8').split('\n');
    let cells = 0;
    return lines.filter((line, i) => {
      if (!line.startsWith('|')) return false;
      const count = line.replaceAll('\\|', '').split('|').length;
      if (!lines[i - 1]?.startsWith('|')) cells = count;
      return count !== cells;
    });
  });
  expect(broken).toEqual([]);
});

function isValidLink(doc: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const file = path === '' ? doc : posix.normalize(posix.join(dirname(doc), path));
  if (!tracked.includes(file) && !tracked.some((other) => other.startsWith(`${file.replace(/\/$/, '')}/`)))
    return false;
  return heading === undefined || headingsOf(file).includes(heading);
}

/** The URL fragments that GitHub generates for headings. */
function headingsOf(file: string): string[] {
  const headings = readFileSync(join(root, file), 'utf8').match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

function isTracked(file: string): boolean {
  return tracked.some((other) => other === file || other.endsWith(`/${file}`)) || file.startsWith('dist/');
}

function unknownCommands(line: string): string[] {
  const script = /\bnpm run ([\w:-]+)/.exec(line)?.[1];
  if (script !== undefined && !scripts.includes(script)) return [`npm run ${script}`];
  const program = /\bnpx ([\w-]+)/.exec(line)?.[1];
  if (
    program !== undefined &&
    program !== 'switchboard' &&
    !existsSync(join(root, 'node_modules/.bin', program))
  )
    return [`npx ${program}`];
  const called = /(?:node dist\/main\.js|(?:^|npx )switchboard) (?:([a-z][\w-]*)\b)?(.*)/.exec(line);
  if (called === null) return [];
  const [, name, rest = ''] = called;
  let command = commands.find((one) => one.name() === name);
  if (name !== undefined && command === undefined) return [`switchboard ${name}`];
  for (const word of rest.trim().split(/ +/))
    command = command?.commands.find((one) => one.name() === word) ?? command;
  const options = rest.split(/[|;&#]/)[0]!.match(/--[a-z][\w-]*/g) ?? [];
  const known = ['--help', '--version', ...(command?.options.map(({ long }) => long) ?? [])];
  return options
    .filter((option) => !known.includes(option))
    .map((option) => `switchboard ${name ?? ''} ${option}`);
}
