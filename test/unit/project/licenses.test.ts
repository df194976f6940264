import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SCRIPT = resolve(__dirname, '../../../licenses/write-licenses.mjs');

const HASH = Buffer.alloc(64, 7);

const folder = mkdtempSync(join(tmpdir(), 'switchboard-licenses-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the last step of a build that has bundled the package `one`, which has these files, and its folder `lib`. */
function writeLicenses(license: unknown, files: Record<string, string>) {
  const all: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'project', version: '2.0.0', license: 'MIT' }),
    'package-lock.json': JSON.stringify({
      packages: { 'node_modules/one': { dev: true, integrity: `sha512-${HASH.toString('base64')}` } },
    }),
    'dist/bundled/bundle.json': JSON.stringify(['node_modules/one/lib']),
    'node_modules/one/package.json': JSON.stringify({
      name: 'one',
      version: '1.0.0',
      license,
      author: 'Ann',
    }),
    'node_modules/one/lib/one.js': '',
  };
  for (const [name, text] of Object.entries(files)) all[`node_modules/one/${name}`] = text;
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
  const written = join(folder, 'dist/THIRD-PARTY-LICENSES.txt');
  return { status, stderr, text: existsSync(written) ? readFileSync(written, 'utf8') : null };
}

describe('the last step of the build', () => {
  it('writes the licence, the notice, and the licences of what the package has taken from others', () => {
    const { text } = writeLicenses('Apache-2.0', {
      LICENSE: 'Copyright Ann\n',
      NOTICE: 'Made by Ann\n',
      'lib/LICENSE-PART.txt': 'Copyright Bob\n',
      'other/LICENSE': 'Copyright Carl\n',
    });
    expect(text).toContain('\none@1.0.0 (Apache-2.0)\n\nCopyright Ann\n\nMade by Ann\n\nCopyright Bob\n');
    expect(text).not.toContain('Carl');
  });

  it('takes the text from the README, or names the author of a package under MIT', () => {
    const readme = '# one\n\n## License\n\nCopyright (c) 2013 Bob &lt;bob@example.com&gt;\n';
    expect(writeLicenses('MIT', { 'README.md': readme }).text).toContain('2013 Bob <bob@example.com>');
    expect(writeLicenses('MIT', { 'README.md': '' }).text).toMatch(
      /Copyright \(c\) Ann\n\nPermission is hereby/,
    );
  });

  it('lists the package in the SBOM, with the hash of its archive', () => {
    writeLicenses('MIT', { LICENSE: 'Copyright Ann' });
    const { components } = JSON.parse(readFileSync(join(folder, 'dist/sbom.cdx.json'), 'utf8')) as {
      components: object[];
    };
    expect(components).toEqual([
      expect.objectContaining({
        purl: 'pkg:npm/one@1.0.0',
        hashes: [{ alg: 'SHA-512', content: HASH.toString('hex') }],
      }),
    ]);
  });

  it('accepts a choice of licences of which one is allowed', () => {
    expect(writeLicenses('(MIT OR GPL-3.0)', { LICENSE: 'Copyright Ann' }).status).toBe(0);
    expect(writeLicenses('(MIT AND GPL-3.0)', { LICENSE: 'Copyright Ann' }).status).toBe(1);
  });

  it.each(['GPL-3.0', undefined, 'SEE LICENSE IN EULA'])('fails for the licence %s', (license) => {
    const { status, stderr, text } = writeLicenses(license, { LICENSE: 'Copyright Ann' });
    expect([status, text]).toEqual([1, null]);
    expect(stderr).toContain(`one@1.0.0 has the licence ${license}`);
  });

  it('fails for a package without a licence text', () => {
    const { status, stderr, text } = writeLicenses('ISC', {});
    expect([status, text]).toEqual([1, null]);
    expect(stderr).toContain('one@1.0.0 has no licence text');
  });
});
