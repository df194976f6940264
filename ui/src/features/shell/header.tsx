import { ActionIcon, Tooltip } from '@mantine/core';
import { IconKeyboard, IconLogout } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { closeSession } from '../../api/session';
import { Brand } from './brand';
import classes from './header.module.css';
import { LiveIndicator } from './live-indicator';
import { SchemeSwitch } from './scheme-switch';
import { useSignOut } from '../sign-in/use-sign-out';
import { ZoneSwitch } from './zone-switch';

/** What stands above every screen: the name, whether the page is fresh, and the reader's own switches. */
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
