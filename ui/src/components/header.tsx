import { ActionIcon, Tooltip } from '@mantine/core';
import { IconKeyboard, IconLogout } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { closeSession } from '../api/session';
import { useLive } from '../live/live-context';
import { Brand } from './brand';
import classes from './header.module.css';
import { LiveIndicator } from './live-indicator';
import { SchemeSwitch } from './scheme-switch';
import { ZoneSwitch } from './zone-switch';

/** What stands above every screen: the name, whether the page is fresh, and the reader's own switches. */
export function Header({ openHelp }: { openHelp: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const live = useLive();
  const signOut = useMutation({
    mutationFn: closeSession,
    // Or the end of the socket would be taken for the end of a login that somebody wants to keep.
    onMutate: () => live.close(),
    onError: () => live.open(),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      cache.clear();
    },
  });
  return (
    <header className={classes.header}>
      <Link to="/" className={classes.home} aria-label="Switchboard: the overview">
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
