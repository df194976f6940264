import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const MAIN = resolve(__dirname, '../../../dist/main.js');

const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });

describe('the command line', () => {
  it.each([
    ['an unknown command', ['bogus'], 'bogus'],
    ['an unknown option', ['serve', '--bogus'], '--bogus'],
    ['an invalid value', ['sandbox', '--port', 'abc'], 'abc'],
    ['an unknown quirk', ['sandbox', '--quirk', 'foo=1'], 'signature_header'],
  ])('reports %s and exits with 2', (_, args, named) => {
    const { status, stderr } = run(...args);
    expect({ status, named: stderr.includes(named) }).toEqual({ status: 2, named: true });
  });

  it.each([
    [['sandbox', '--host', 'nope.invalid', '--port', '0'], 'HOST'],
    [['sandbox', '--data', '/proc/switchboard/sandbox'], '--data'],
    [['demo', '--data-dir', '/proc/switchboard'], 'DATA_DIR'],
  ])('says why it cannot start, and exits with 78: %j', (args, named) => {
    const { status, stderr } = run(...args);
    expect({ status, stderr }).toEqual({
      status: 78,
      stderr: expect.stringMatching(`^Switchboard cannot start:\n.*${named}`),
    });
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
    (command) => {
      const { status, stdout } = run(...command, '--help');
      expect({ status, usage: stdout.startsWith('Usage: switchboard') }).toEqual({ status: 0, usage: true });
    },
  );
});
