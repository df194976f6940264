import { useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { browserAlerts, canAlert, turnOnBrowserAlerts } from '../../format/browser-alerts';
import { density } from '../../format/density';
import { setTimeZone, useTimeZone, type TimeZone } from '../../format/time-zone';
import { Choice } from './choice';
import classes from './preferences.module.css';

const SCHEMES = [
  ['auto', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
const ZONES = [
  ['local', 'Local'],
  ['utc', 'UTC'],
] as const;
const ALERTS = [
  ['off', 'Off'],
  ['on', 'On'],
] as const;
const DENSITIES = [
  ['comfortable', 'Comfortable'],
  ['compact', 'Compact'],
] as const;

/** The theme of the dashboard. */
export function ThemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return <Choice label="Theme" options={SCHEMES} value={colorScheme} choose={setColorScheme} />;
}

/** How this browser shows the dashboard. */
export function Preferences() {
  return (
    <div className={classes.preferences}>
      <ThemeChoice />
      <Choice label="Times" options={ZONES} value={useTimeZone()} choose={chooseZone} />
      {/* On phones, rows have a height of their own. */}
      <div className={classes.wide}>
        <Choice
          label="Rows"
          options={DENSITIES}
          value={density.use()}
          choose={(value) => density.set(value)}
        />
      </div>
      {canAlert() && <AlertsChoice />}
    </div>
  );
}

/** Whether the browser shows critical issues. It is asked only when the user chooses so. */
function AlertsChoice() {
  const [isRefused, setRefused] = useState(false);
  const choose = async (value: 'on' | 'off') => {
    if (value === 'off') browserAlerts.set('off');
    else setRefused(!(await turnOnBrowserAlerts()));
  };
  return (
    <div>
      <Choice
        label="Browser alerts"
        options={ALERTS}
        value={browserAlerts.use()}
        choose={(value) => void choose(value)}
      />
      <output className={classes.refused}>
        {isRefused && 'The browser does not allow it: change that in its settings for this page.'}
      </output>
    </div>
  );
}

/** The screen is mounted again with other times, and the choice with it if it is there; the focus returns to it. */
function chooseZone(zone: TimeZone): void {
  const isOnScreen = document.querySelector('main')?.contains(document.activeElement) === true;
  setTimeZone(zone);
  if (isOnScreen)
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('main [data-choice=Times] :checked')?.focus(),
    );
}
