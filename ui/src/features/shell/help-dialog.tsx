import { Kbd } from '@mantine/core';
import { Dialog } from '../../components/dialog';
import { NAVIGATION_KEYS } from './use-navigation-keys';
import classes from './help-dialog.module.css';

const GROUPS = [
  {
    where: 'In lists',
    keys: [
      { keys: ['j', 'k'], does: 'Move down, move up' },
      { keys: ['Enter'], does: 'Open selected' },
      { keys: ['Esc'], does: 'Clear selection' },
      { keys: ['p'], does: 'Pause or resume the live list' },
      { keys: ['n'], does: 'Show new events' },
      { keys: ['r'], does: 'Replay the selected event' },
      { keys: ['/'], does: 'Focus the filter' },
    ],
  },
  {
    where: 'On an event',
    keys: [
      { keys: ['r'], does: 'Replay it' },
      { keys: ['e'], does: 'Edit and resend it' },
      { keys: ['c'], does: 'Copy it as a curl command (bash)' },
      { keys: ['↑', '↓', '←', '→'], does: 'Move through its payload, expand and collapse' },
    ],
  },
  {
    where: 'Everywhere',
    keys: [
      { keys: ['/'], does: 'Search' },
      ...NAVIGATION_KEYS.map(({ key, name }) => ({ keys: ['g', key], does: `Go to ${name}` })),
      { keys: ['?'], does: 'Show this help' },
    ],
  },
];

/** What each key does. */
export function HelpDialog({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} close={close} title="Keyboard shortcuts">
      {GROUPS.map(({ where, keys: entries }) => (
        <section key={where} className={classes.group}>
          <h3>{where}</h3>
          <dl>
            {entries.map(({ keys, does }) => (
              <div key={does} className={classes.entry}>
                <dt>
                  {keys.map((key) => (
                    <Kbd key={key} size="xs">
                      {key}
                    </Kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
