import { Kbd } from '@mantine/core';
import { Dialog } from '../../components/dialog';
import { NAVIGATION_KEYS } from './use-navigation-keys';
import classes from './help-dialog.module.css';

const GROUPS = [
  {
    where: 'In lists',
    keys: [
      { keys: ['j', 'k'], action: 'Move down, move up' },
      { keys: ['Enter'], action: 'Open selected' },
      { keys: ['Space'], action: 'Show the selected event beside the list' },
      { keys: ['x'], action: 'Select an event to replay, export or compare it' },
      { keys: ['↓'], action: 'Move from the search to its results' },
      { keys: ['Esc'], action: 'Clear selection' },
      { keys: ['p'], action: 'Pause or resume the live list' },
      { keys: ['n'], action: 'Show new events' },
      { keys: ['r'], action: 'Replay the selected event' },
      { keys: ['/'], action: 'Focus the filter' },
    ],
  },
  {
    where: 'On an event',
    keys: [
      { keys: ['r'], action: 'Replay it' },
      { keys: ['e'], action: 'Edit and resend it' },
      { keys: ['c'], action: 'Copy it as a curl command (bash)' },
      { keys: ['↑', '↓', '←', '→'], action: 'Move through its payload, expand and collapse' },
    ],
  },
  {
    where: 'Everywhere',
    keys: [
      { keys: ['Ctrl K', '⌘K'], action: 'Go to anything, or run an action' },
      { keys: ['/'], action: 'Search' },
      ...NAVIGATION_KEYS.map(({ key, name }) => ({ keys: ['g', key], action: `Go to ${name}` })),
      { keys: ['z'], action: 'Undo what was just done' },
      { keys: ['?'], action: 'Show this help' },
    ],
  },
];

/** The keyboard shortcuts. */
export function HelpDialog({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} close={close} title="Keyboard shortcuts">
      {GROUPS.map(({ where, keys: shortcuts }) => (
        <section key={where} className={classes.group}>
          <h3>{where}</h3>
          <dl>
            {shortcuts.map(({ keys, action }) => (
              <div key={action} className={classes.entry}>
                <dt>
                  {keys.map((key) => (
                    <Kbd key={key} size="xs">
                      {key}
                    </Kbd>
                  ))}
                </dt>
                <dd>{action}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
