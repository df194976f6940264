/** Something the palette can open or do. */
export interface Command {
  id: string;
  group: CommandGroup;
  label: string;
  /** Shown beside the label, and searched as well. */
  hint?: string;
  /** Words for what it leads to, which are only searched. */
  words?: string;
  run: () => void;
}

/** In the order shown. What arrives later than the typing comes last, so that Enter takes what was shown. */
const COMMAND_GROUPS = [
  'Id',
  'Screens',
  'Saved views',
  'Targets',
  'Actions',
  'All targets',
  'Events',
] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];

const MAX_PER_GROUP = 8;
/** Beside the same action on all targets, which then needs no scrolling. */
const MAX_BESIDE_ALL = 3;

/** The commands that contain all words of a text, by group; those that begin with it come first, and their groups too. */
export function matchCommands(
  commands: readonly Command[],
  text: string,
): [group: CommandGroup, commands: Command[]][] {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const matching = commands.filter(({ group, label, hint = '', words: more = '' }) => {
    const searched = `${label} ${hint} ${more}`.toLowerCase();
    return group === 'Id' || group === 'Events' || words.every((word) => searched.includes(word));
  });
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(wanted) ? 0 : 1);
  const hasAll =
    wanted !== '' && matching.some((command) => command.group === 'All targets' && rank(command) === 0);
  const rankOfGroup = ([group, [first]]: (typeof groups)[number]) =>
    group === 'Id' ? -1 : group === 'Events' ? 2 : rank(first!);
  const groups = COMMAND_GROUPS.flatMap((group): [CommandGroup, Command[]][] => {
    const found = matching.filter((command) => command.group === group).sort((a, b) => rank(a) - rank(b));
    const max = group === 'Actions' && hasAll ? MAX_BESIDE_ALL : MAX_PER_GROUP;
    return found.length === 0 ? [] : [[group, found.slice(0, max)]];
  });
  return groups.sort((a, b) => rankOfGroup(a) - rankOfGroup(b));
}
