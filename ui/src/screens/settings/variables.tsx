import type { SettingsView } from '@contract/settings';
import classes from './configuration-panel.module.css';

interface VariablesProps {
  /** All names of a value, separated by spaces. */
  of: string;
  settings: Pick<SettingsView, 'changed'>;
}

/** The variables that set a value; nothing if it is the default. */
export const Variables = ({ of, settings: { changed } }: VariablesProps) =>
  of
    .split(' ')
    .filter((name) => changed.includes(name))
    .map((name) => (
      <code key={name} className={classes.changed} title="Differs from the default">
        {name}
      </code>
    ));
