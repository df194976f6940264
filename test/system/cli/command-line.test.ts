import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const MAIN = resolve(__dirname, '../../../dist/main.js');

const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });

describe('The command line', () => {
  it.each([
    ['a command that there is not', ['bogus'], 'bogus'],
    ['an option that there is not', ['serve', '--bogus'], '--bogus'],
    ['a value that cannot be', ['sandbox', '--port', 'abc'], 'abc'],
    ['a reading that there is not', ['sandbox', '--reading', 'foo=1'], 'signature_header'],
  ])('names %s and ends with 2', (_, args, named) => {
    const { status, stderr } = run(...args);
    expect({ status, named: stderr.includes(named) }).toEqual({ status: 2, named: true });
  });

  it.each([[[]], [['serve']], [['sandbox']], [['connect']], [['status']]])(
    'tells of itself when asked: %j --help',
    (command) => {
      const { status, stdout } = run(...command, '--help');
      expect({ status, told: stdout.startsWith('Usage: switchboard') }).toEqual({ status: 0, told: true });
    },
  );
});
