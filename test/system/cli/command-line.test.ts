import { spawnSync } from 'node:child_process';
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

  it.each([[[]], [['serve']], [['sandbox']], [['connect']], [['status']]])(
    'prints its usage: %j --help',
    (command) => {
      const { status, stdout } = run(...command, '--help');
      expect({ status, usage: stdout.startsWith('Usage: switchboard') }).toEqual({ status: 0, usage: true });
    },
  );
});
