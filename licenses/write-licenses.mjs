/**
 * The last step of the build: writes the licences of everything in `dist` that others wrote (`dist/THIRD-PARTY-LICENSES.txt`), and
 * the same list as a CycloneDX SBOM (`dist/sbom.cdx.json`). It fails if a package has no licence text, or a licence that is not allowed.
 * Usage: node licenses/write-licenses.mjs [<project folder>]
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
];
const LICENSE_FILE = /^(licen[sc]e|copying|notice|copyright)/i;
/** In tools that bundle packages themselves, of which none is in the output. */
const NOT_BUNDLED = /^# Licenses of bundled dependencies$[^]*/m;
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
/** For a package that only names it. */
const MIT = readFileSync(join(import.meta.dirname, '../LICENSE'), 'utf8').replace(/^[^]*?(?=Permission)/, '');

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const json = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const lock = json('package-lock.json');

const packages = [...bundledPackages(), ...packagesBeside()].toSorted((a, b) => compare(idOf(a), idOf(b)));
const faults = packages.flatMap(faultsOf);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exit(1);
}
writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), licensesText());
writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(bom(), null, 1)}\n`);
rmSync(join(root, 'dist/bundled'), { recursive: true });

/** A package may be in the output of several builds, and installed several times in one version. */
function bundledPackages() {
  const found = new Map();
  for (const list of readdirSync(join(root, 'dist/bundled')))
    for (const folder of json(`dist/bundled/${list}`)) {
      const [path] = PACKAGE_FOLDER.exec(folder);
      const { name, version } = json(`${path}/package.json`);
      const one = found.get(`${name}@${version}`) ?? describe(path);
      one.texts = new Set([...one.texts, ...textsBetween(folder, path)]);
      found.set(idOf(one), one);
    }
  for (const one of found.values()) if (one.texts.size === 0) one.texts = textInReadme(one);
  return [...found.values()];
}

/** The SQLite drivers with their packages, which npm installs, each with its licence; an optional one may be missing here. */
function packagesBeside() {
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { name, version, license }]) =>
      existsSync(join(root, path))
        ? { ...describe(path), isBeside: true, texts: textsBetween(path, path) }
        : {
            path,
            name: name ?? path.slice('node_modules/'.length),
            version,
            license,
            isBeside: true,
            texts: new Set(),
          },
    );
}

function describe(path) {
  const { name, version, license, licenses, author } = json(`${path}/package.json`);
  return {
    path,
    name,
    version,
    license: license?.type ?? license ?? licenses?.[0]?.type,
    author,
    texts: new Set(),
  };
}

/** The licence files of a package in its own folder, and in those of what was bundled. */
function textsBetween(folder, path) {
  const files = readdirSync(join(root, folder)).filter(
    (name) => LICENSE_FILE.test(name) && !/\.[cm]?[jt]sx?$/.test(name),
  );
  const texts = files.toSorted().map((name) => readFileSync(join(root, folder, name), 'utf8'));
  const above = folder === path ? [] : textsBetween(dirname(folder), path);
  return new Set([...above, ...texts.map((text) => tidy(text.replace(NOT_BUNDLED, '')))]);
}

function textInReadme({ path, license, author }) {
  const readme = readdirSync(join(root, path)).find((name) => /^readme/i.test(name));
  const text = readme === undefined ? '' : readFileSync(join(root, path, readme), 'utf8');
  const section = /^(?:#+ *)?licen[sc]e\n(?:-+\n)?([^]*?copyright[^]*)/im.exec(text)?.[1];
  if (section !== undefined) return new Set([tidy(section.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))]);
  const holder = author?.name ?? author;
  return new Set(
    license === 'MIT' && holder ? [tidy(`MIT License\n\nCopyright (c) ${holder}\n\n${MIT}`)] : [],
  );
}

function faultsOf(one) {
  const found = [];
  // "(MIT OR GPL-2.0)" leaves the choice to us.
  const choices = String(one.license).replaceAll(/[()]/g, '').split(' OR ');
  if (!choices.some((choice) => choice.split(' AND ').every((part) => ALLOWED.includes(part))))
    found.push(
      `${idOf(one)} has the licence ${one.license}, which licenses/write-licenses.mjs does not allow.`,
    );
  if (one.texts.size === 0 && !one.isBeside)
    found.push(`${idOf(one)} has no licence text in ${one.path}. Without it, it cannot be shipped.`);
  return found;
}

function licensesText() {
  const sections = new Map();
  for (const one of packages) {
    const text = [...one.texts].join('\n\n') || 'The text is in the folder of the package.';
    sections.set(text, [...(sections.get(text) ?? []), `${idOf(one)} (${one.license})`]);
  }
  const head =
    'Switchboard contains these packages, or is installed with them. Its own licence is in the file LICENSE.';
  const bodies = [...sections].map(([text, names]) => `${'='.repeat(80)}\n${names.join('\n')}\n\n${text}\n`);
  return [`${head}\n`, ...bodies].join('\n');
}

function bom() {
  const { name, version, license } = json('package.json');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, licenses: [{ license: { id: license } }] } },
    components: packages.map((one) => ({
      type: 'library',
      'bom-ref': `${idOf(one)}${one.isBeside ? ' beside' : ''}`,
      name: one.name,
      version: one.version,
      licenses: [/ /.test(one.license) ? { expression: one.license } : { license: { id: one.license } }],
      ...hashesOf(one),
      purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    })),
  };
}

/** Of the archive that npm installs. */
function hashesOf({ path }) {
  const [, digest] = /^sha512-(\S+)/.exec(lock.packages[path]?.integrity ?? '') ?? [];
  if (digest === undefined) return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] };
}

function tidy(text) {
  return text.replaceAll('\r\n', '\n').trim();
}

function idOf({ name, version }) {
  return `${name}@${version}`;
}

function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}
