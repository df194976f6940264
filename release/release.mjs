/**
 * Releases the version after the present one: its number, changelog, databases for the tests of later upgrades, commit, annotated tag,
 * and the files to publish in `artifacts/<version>`. It changes nothing if something is missing. Nothing is pushed or published.
 * Usage: npm run release -- minor|patch
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const KUBERNETES = 'deploy/kubernetes/switchboard.yaml';
const CHANGELOG = 'CHANGELOG.md';
const MIGRATIONS = 'src/relay/database/migrations';

const run = (program, ...words) => execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });
const next = nextVersion(process.argv[2]);
const changelog = readFileSync(CHANGELOG, 'utf8');
const [heading, changes] = /^## \[?Unreleased\]?\n+([^]*?)(?=^## |(?![^]))/m.exec(changelog) ?? [];

const missing = whatIsMissing();
if (missing !== null) {
  process.stderr.write(`${next} is not released. ${missing}\n`);
  process.exit(1);
}
run('npm', 'test');
for (const folder of ['.', 'client']) run('npm', '--prefix', folder, 'version', next, '--no-git-tag-version');
writeFileSync(
  KUBERNETES,
  readFileSync(KUBERNETES, 'utf8').replace(/(image: switchboard:)\S+/, (_, image) => image + next),
);
const date = new Date().toISOString().slice(0, 10);
writeFileSync(
  CHANGELOG,
  changelog.replace(heading, () => `## Unreleased\n\n## ${next} - ${date}\n\n${changes}`),
);
run('npm', 'run', 'fixtures');
run('git', 'add', '--all');
run('git', 'commit', '--quiet', '--message', `chore(release): ${next}`);
run(
  'git',
  'tag',
  '--annotate',
  `v${next}`,
  '--cleanup=verbatim',
  '--message',
  `Switchboard ${next}\n\n${changes}`,
);
run('npm', 'run', 'build:release', '--', `v${next}`, `artifacts/${next}`);

function nextVersion(kind) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [major, minor, patch] = version.split('.').map(Number);
  if (kind === 'minor') return `${major}.${minor + 1}.0`;
  if (kind === 'patch') return `${major}.${minor}.${patch + 1}`;
  throw new Error('Usage: npm run release -- minor|patch');
}

function whatIsMissing() {
  if (execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '')
    return 'The work tree has changes: commit or remove them first.';
  if (!/^- /m.test(changes ?? ''))
    return `${CHANGELOG} has nothing under Unreleased: say there what operators have to know.`;
  const newest = readdirSync(MIGRATIONS)
    .filter((file) => /^\d{4}-/.test(file))
    .reduce((last, file) => (file > last ? file : last))
    .slice(0, 4);
  if (!changelog.includes(newest))
    return `${CHANGELOG} does not name the migration ${newest}: say under Unreleased what it does to the database, and how long it takes.`;
  return null;
}
