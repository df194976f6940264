import { matchCommands, type Command } from '../../../ui/src/features/command-palette/command';

const command = (group: Command['group'], label: string): Command => ({
  id: label,
  group,
  label,
  run: () => undefined,
});

it('the pause of all targets is offered beside those of many, and never as the first', () => {
  const pauses = Array.from({ length: 20 }, (_, n) => command('Actions', `Pause target ${n}`));
  const found = matchCommands([command('All targets', 'Pause all targets'), ...pauses], 'pause');
  expect(found.map(([group, { length }]) => [group, length])).toEqual([
    ['Actions', 3],
    ['All targets', 1],
  ]);
});
