import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runInProcess } from '../../support/daemon/run-in-process';

const MAIN = resolve(__dirname, '../../../dist/main.js');

/** Runs a command after a script that changes its environment. */
const runAfter = (script: string, ...args: string[]) => {
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  return spawnSync(process.execPath, ['--import', preload, MAIN, ...args], { encoding: 'utf8' });
};

describe('the command line', () => {
  it.each([
    ['an unknown command', ['bogus'], 'bogus'],
    ['an unknown option', ['serve', '--bogus'], '--bogus'],
    ['an invalid value', ['sandbox', '--port', 'abc'], 'abc'],
    ['an unknown quirk', ['sandbox', '--quirk', 'foo=1'], 'signature_header'],
  ])('reports %s and exits with 2', async (_, args, named) => {
    const { code, err } = await runInProcess(args);
    expect({ code, named: err.includes(named) }).toEqual({ code: 2, named: true });
  });

  it.each([
    [['sandbox', '--host', 'nope.invalid', '--port', '0'], 'HOST'],
    [['sandbox', '--data', '/proc/switchboard/sandbox'], '--data'],
    [['demo', '--data-dir', '/proc/switchboard'], 'DATA_DIR'],
  ])('says why it cannot start, and exits with 78: %j', async (args, named) => {
    const { code, err } = await runInProcess(args);
    expect({ code, err }).toEqual({
      code: 78,
      err: expect.stringMatching(`^Switchboard cannot start:\n.*${named}`),
    });
  });

  it.each([
    ['14.21.3', 78],
    ['20.18.3', 78],
    ['20.19.0', 0],
    ['22.0.0', 0],
  ])('under Node %s ends with exit code %d, whatever is asked', (version, code) => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
    const { status, stderr } = runAfter(pretend, '--version');
    const sentence = `Switchboard needs Node 20.19 or later; this is ${version}. Install a later version, such as 24.\n`;
    expect({ status, stderr }).toEqual({ status: code, stderr: code === 0 ? '' : sentence });
  });

  it('says what to do if the SQLite driver for this version of Node was not installed', () => {
    const withoutDriver = `import Module from 'node:module';
      const load = Module._load;
      Module._load = (id, ...more) => {
        if (id.startsWith('better-sqlite3')) throw new Error('Cannot find module ' + id);
        return load(id, ...more);
      };`;
    const { status, stderr } = runAfter(
      withoutDriver,
      'demo',
      '--data-dir',
      join(tmpdir(), 'switchboard-driverless'),
    );
    expect(status).toBe(78);
    expect(stderr).toContain(`The SQLite driver for Node ${process.versions.node} cannot be loaded`);
    expect(stderr).toMatch(/Run npm ci \(in a clone\) or npm install \(of the package\) again/);
  });

  it('loads first only what old versions of Node can parse', () => {
    const loaded = [MAIN, resolve(MAIN, '../bundle/check-node.js')].map((file) => readFileSync(file, 'utf8'));
    expect(loaded[0]!.split('\n')[1]).toBe("require('./bundle/check-node.js');");
    const code = loaded.join('').replaceAll(/\/\*[^]*?\*\//g, '');
    expect(code).not.toMatch(/\?\.|\?\?|\*\*|\b(async|await|class|import)\b|\.\.\./);
  });

  it.each([[['sandbox', '--help']], [['doctor', '--data-dir', '/nowhere']]])(
    'ends quietly if nobody reads its output: %j',
    async (args) => {
      const child = spawn(process.execPath, [MAIN, ...args]);
      let errors = '';
      child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
      child.stdout.destroy();
      const [code] = (await once(child, 'close')) as [number];
      expect({ code, errors }).toEqual({ code: args.includes('doctor') ? 1 : 0, errors: '' });
    },
  );

  it.each([[[]], [['serve']], [['sandbox']], [['connect']], [['status']]])(
    'prints its usage: %j --help',
    async (command) => {
      const { code, out } = await runInProcess([...command, '--help']);
      expect({ code, usage: out.startsWith('Usage: switchboard') }).toEqual({ code: 0, usage: true });
    },
  );
});
