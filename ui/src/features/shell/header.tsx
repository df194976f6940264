import { ActionIcon, Tooltip } from '@mantine/core';
import { IconClock, IconKeyboard, IconLogout, IconUser, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { closeSession, sessionQuery } from '../../api/session';
import { Brand } from './brand';
import classes from './header.module.css';
import { PaletteButton } from '../command-palette/palette-button';
import { DensitySwitch } from './density-switch';
import { SchemeSwitch } from './scheme-switch';
import { useSignOut } from '../sign-in/use-sign-out';
import type { LiveState } from '../../live/live-connection';
import { useLiveState } from '../../live/live-context';
import { roleOf } from '../../labels/role-labels';
import type { StateLabel } from '../../labels/state-label';
import { StateBadge } from '../../components/state-badge';
import { HUB_NAME } from '../../format/hub-name';
import { setTimeZone, useTimeZone } from '../../format/time-zone';

/** The header of every screen: name, connection state and user preferences. */
export function Header({ openHelp }: { openHelp: () => void }) {
  return (
    <header className={classes.header}>
      <Link to="/" className={classes.home} aria-label={`Switchboard, ${HUB_NAME}: go to Overview`}>
        <Brand />
      </Link>
      <LiveIndicator />
      <PaletteButton openHelp={openHelp} />
      <div className={classes.switches}>
        <Tooltip label="Keyboard shortcuts">
          <ActionIcon aria-label="Keyboard shortcuts" onClick={openHelp} className={classes.keys}>
            <IconKeyboard size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <DensitySwitch className={classes.density} />
        <ZoneSwitch />
        <SchemeSwitch />
        <SignOut />
      </div>
    </header>
  );
}

/** Ends the session; a user of the proxy is named instead, since only the proxy can sign them out. */
function SignOut() {
  const { data: session } = useQuery(sessionQuery);
  const signOut = useSignOut(closeSession);
  if (session?.via === 'user') {
    const role = roleOf(session.scopes);
    return (
      <Tooltip label={`Signed in by the proxy, with the role ${role}`}>
        <span className={classes.user} aria-label={`Signed in as ${session.name}, ${role}`} role="note">
          <IconUser size={18} stroke={1.6} aria-hidden />
          <bdi className={classes.name}>{session.name}</bdi>
          <span className={classes.role}>{role}</span>
        </span>
      </Tooltip>
    );
  }
  return (
    <Tooltip label="Sign out">
      <ActionIcon aria-label="Sign out" onClick={() => signOut.mutate()} loading={signOut.isPending}>
        <IconLogout size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
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
