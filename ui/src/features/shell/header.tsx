import { ActionIcon, Tooltip } from '@mantine/core';
import { IconClock, IconKeyboard, IconLogout, IconWorld } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { closeSession } from '../../api/session';
import { Brand } from './brand';
import classes from './header.module.css';
import { SchemeSwitch } from './scheme-switch';
import { useSignOut } from '../sign-in/use-sign-out';
import type { LiveState } from '../../live/live-connection';
import { useLiveState } from '../../live/live-context';
import type { StateLabel } from '../../labels/state-label';
import { StateBadge } from '../../components/state-badge';
import { setTimeZone, useTimeZone } from '../../format/time-zone';

/** The header of every screen: name, connection state and user preferences. */
export function Header({ openHelp }: { openHelp: () => void }) {
  const signOut = useSignOut(closeSession);
  return (
    <header className={classes.header}>
      <Link to="/" className={classes.home} aria-label="Switchboard: go to Overview">
        <Brand />
      </Link>
      <LiveIndicator />
      <div className={classes.switches}>
        <Tooltip label="Keyboard shortcuts">
          <ActionIcon aria-label="Keyboard shortcuts" onClick={openHelp} className={classes.keys}>
            <IconKeyboard size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <ZoneSwitch />
        <SchemeSwitch />
        <Tooltip label="Sign out">
          <ActionIcon aria-label="Sign out" onClick={() => signOut.mutate()} loading={signOut.isPending}>
            <IconLogout size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
    </header>
  );
}

const LIVE_STATES: Record<LiveState, StateLabel> = {
  connecting: { tone: 'idle', label: 'Connecting…', description: 'Opening the live connection' },
  live: { tone: 'ok', label: 'Live', description: 'The page is up to date' },
  lost: {
    tone: 'warn',
    label: 'Connection to Switchboard lost, retrying…',
    description: 'Showing the last known data. It refreshes automatically.',
  },
};

/** Whether the page is up to date. */
function LiveIndicator() {
  const state = useLiveState();
  return (
    <output className={classes.indicator} data-state={state}>
      <StateBadge state={LIVE_STATES[state]} strong={state === 'lost'} />
    </output>
  );
}

const ZONES = {
  local: { name: 'local', icon: IconClock, next: 'utc' },
  utc: { name: 'UTC', icon: IconWorld, next: 'local' },
} as const;

/** Switches between local time and UTC. */
function ZoneSwitch() {
  const { name, icon: Icon, next } = ZONES[useTimeZone()];
  const label = `Times: ${name}. Switch to ${ZONES[next].name}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => setTimeZone(next)}>
        <Icon size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
