import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

describe('a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-release-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();

  /** Each in a folder of its own, for a user with another umask. */
  const build = (name: string, umask: string) => {
    const command = `umask ${umask} && npm run --silent build:release -- ${commit} ${join(folder, name)}`;
    execFileSync('sh', ['-c', command], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    return readFileSync(join(folder, name, 'SHA256SUMS'), 'utf8');
  };

  it('has the same files whenever and wherever it is built, without the paths of that machine', () => {
    const first = build('first', '022');
    expect(first.match(/^[0-9a-f]{64} {2}\S+$/gm)!.map((line) => line.slice(66))).toEqual([
      'LICENSE',
      'THIRD-PARTY-LICENSES.txt',
      'openapi.json',
      'sbom.cdx.json',
      expect.stringMatching(/^switchboard-\d+\.\d+\.\d+\.tgz$/),
      expect.stringMatching(/^switchboard-client-\d+\.\d+\.\d+\.tgz$/),
      'switchboard.schema.json',
    ]);
    expect(build('second', '077')).toBe(first);
    const archive = /\S+\.tgz/.exec(first)![0];
    execFileSync('tar', ['--extract', '--gzip', '--file', archive], { cwd: join(folder, 'first') });
    const shipped = readFileSync(join(folder, 'first/package/dist/openapi.json'), 'utf8');
    expect(shipped).toBe(readFileSync(join(folder, 'first/openapi.json'), 'utf8'));
    expect(() =>
      execFileSync('grep', ['--recursive', '--files-with-matches', 'switchboard-release-', 'package/dist'], {
        cwd: join(folder, 'first'),
      }),
    ).toThrow(/status 1|Command failed/);
  });
});
