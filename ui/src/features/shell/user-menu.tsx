import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { closeSession, sessionQuery } from '../../api/session';
import { roleOf } from '../../labels/role-labels';
import { Preferences } from '../preferences/preferences';
import { useSignOut } from '../sign-in/use-sign-out';
import classes from './user-menu.module.css';

const LABEL = 'Preferences, shortcuts and sign out';

/** The menu at the end of the header: who is signed in, how the dashboard is shown, and the way out. */
export function UserMenu({ openHelp }: { openHelp: () => void }) {
  const [opened, setOpened] = useState(false);
  const { data: session } = useQuery(sessionQuery);
  const signOut = useSignOut(closeSession);
  return (
    // Not in the main landmark, which is mounted again when the time zone changes.
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={264}
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Tooltip label={LABEL} disabled={opened}>
          <ActionIcon aria-label={LABEL} onClick={() => setOpened(!opened)}>
            <IconUser size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={LABEL} className={classes.menu}>
        {session?.via === 'user' && (
          <p>
            Signed in as <bdi className={classes.name}>{session.name}</bdi>, {roleOf(session.scopes)}
          </p>
        )}
        <Preferences />
        <div className={classes.actions}>
          <Button
            variant="subtle"
            className={classes.keys}
            leftSection={<IconKeyboard size={16} aria-hidden />}
            onClick={() => {
              setOpened(false);
              openHelp();
            }}
          >
            Keyboard shortcuts
          </Button>
          {/* Only the proxy can sign out its users. */}
          {session?.via !== 'user' && (
            <Button
              variant="subtle"
              leftSection={<IconLogout size={16} aria-hidden />}
              loading={signOut.isPending}
              onClick={() => signOut.mutate()}
            >
              Sign out
            </Button>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
