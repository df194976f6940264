import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../../src/cli/definitions/program';

const FILE = resolve(__dirname, '../../../docs/cli.md');
const START = '<!-- From here on written by `npm run docs:cli`. -->';

/** The text before is written by hand. */
const byHand = () => readFileSync(FILE, 'utf8').split(START)[0]!;

const commandsBelow = (command: Command): Command[] => [
  command,
  ...command.commands
    .filter((one) => !one.name().startsWith('_'))
    .toSorted((a, b) => (a.name() < b.name() ? -1 : 1))
    .flatMap(commandsBelow),
];

const pathOf = (command: Command): string =>
  [command.parent === null ? [] : pathOf(command.parent), command.name()].flat().join(' ');

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return `## ${pathOf(command)}\n\n\`\`\`text\n${help.trim().replaceAll(/ +$/gm, '')}\n\`\`\`\n`;
}

it('docs/cli.md has the help of every command as it is: npm run docs:cli', () => {
  const expected = `${byHand()}${START}\n\n${commandsBelow(createProgram()).map(helpOf).join('\n')}`;
  if (process.env['WRITE_DOCS']) writeFileSync(FILE, expected);
  expect(readFileSync(FILE, 'utf8')).toBe(expected);
});
