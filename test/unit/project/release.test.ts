import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SCRIPT = resolve(__dirname, '../../../release/release.mjs');
const MIGRATION = 'src/relay/database/migrations/0007-colours.ts';
const CHANGES = '### Added\n\n- Colours (migration 0007).';
const changelog = (unreleased: string) =>
  `# Changelog\n\n## Unreleased\n\n${unreleased}\n\n## 0.1.0 - 2026-01-01\n\n- The first $& version.\n`;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'switchboard-release-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...words: string[]) =>
  execFileSync('git', words, {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Runs the script in a small project whose steps only say that they ran. */
function release(files: Record<string, string>, { tests = 'true', uncommitted = '', kind = 'minor' } = {}) {
  const scripts = {
    test: tests,
    fixtures: 'node -p "require(\'./package.json\').version" > fixture',
    'build:release': 'echo built',
  };
  const all: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'project', version: '0.1.0', scripts }),
    'client/package.json': JSON.stringify({ name: 'client', version: '0.1.0' }),
    'CHANGELOG.md': changelog(CHANGES),
    [MIGRATION]: '',
    'deploy/kubernetes/switchboard.yaml': 'image: switchboard:0.1.0\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  if (uncommitted !== '') writeFileSync(join(folder, uncommitted), '');
  return spawnSync(process.execPath, [SCRIPT, kind], { cwd: folder, encoding: 'utf8' });
}

describe('npm run release', () => {
  it('commits number, changelog and fixtures, makes an annotated tag, and builds it', () => {
    const { status, stdout } = release({});
    expect([status, stdout]).toEqual([0, expect.stringMatching(/echo built v0\.2\.0 artifacts\/0\.2\.0\n/)]);
    const today = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md').replace(today, 'today')).toBe(
      changelog('').replace('## Unreleased\n\n\n', `## Unreleased\n\n## 0.2.0 - today\n\n${CHANGES}\n`),
    );
    expect(read('deploy/kubernetes/switchboard.yaml')).toBe('image: switchboard:0.2.0\n');
    expect(git('log', '-1', '--format=%s')).toBe('chore(release): 0.2.0');
    expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag');
    expect(git('tag', '--list', '--format=%(contents)')).toBe(`Switchboard 0.2.0\n\n${CHANGES}`);
    expect(git('show', 'v0.2.0:client/package.json')).toContain('"version":"0.2.0"');
    expect([git('show', 'v0.2.0:fixture'), git('status', '--porcelain')]).toEqual(['0.2.0', '']);
  });

  it.each([
    ['a work tree with changes', {}, { uncommitted: 'other' }, 'The work tree has changes'],
    ['an empty Unreleased', { 'CHANGELOG.md': changelog('### Added') }, {}, 'has nothing under Unreleased'],
    [
      'a migration that no version describes',
      { 'CHANGELOG.md': changelog('- Colours') },
      {},
      'migration 0007',
    ],
    ['failing tests', {}, { tests: 'echo broken >&2; false' }, 'broken'],
    ['another kind of version', {}, { kind: 'major' }, 'Usage:'],
  ])('refuses %s, and changes nothing', (_, files, options, message) => {
    const { status, stderr } = release(files, options);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
    expect(read('package.json')).toContain('"version":"0.1.0"');
    expect([git('log', '--format=%s'), git('tag', '--list')]).toEqual(['first', '']);
  });
});
