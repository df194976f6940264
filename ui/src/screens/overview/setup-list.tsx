import { Button, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { backupsQuery } from '../../api/backups';
import { sessionQuery } from '../../api/session';
import { settingsQuery } from '../../api/settings';
import { targetsQuery } from '../../api/targets';
import { tokensQuery } from '../../api/tokens';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import { useDenial } from '../../components/use-denial';
import { oneOf, StoredChoice } from '../../format/stored-choice';
import classes from './setup-list.module.css';

const dismissed = new StoredChoice('switchboard-setup-dismissed', oneOf('no', 'yes'));

/** No request tells it, so the user does. */
const verified = new StoredChoice('switchboard-setup-verified', oneOf('no', 'yes'));

/** What a hub needs before others rely on it, until all of it is done or an admin dismisses the list. */
export function SetupList() {
  const { data: session } = useQuery(sessionQuery);
  const mayAdmin = useDenial('admin') === null;
  const isDismissed = dismissed.use() === 'yes';
  // Nobody relies on a demo.
  return isDismissed || !mayAdmin || session?.sandbox !== false ? null : <OpenSteps />;
}

function OpenSteps() {
  const { data: targets } = useQuery(targetsQuery);
  const { data: backups } = useQuery(backupsQuery);
  const { data: settings } = useQuery(settingsQuery);
  const { data: tokens } = useQuery(tokensQuery);
  const isVerified = verified.use() === 'yes';
  if (targets === undefined || backups === undefined || settings === undefined || tokens === undefined)
    return null;
  const steps: { name: string; isDone: boolean; how: ReactNode }[] = [
    { name: 'Target', isDone: targets.length > 0, how: <Link to="/targets/new">Add one</Link> },
    {
      name: 'Only the events it needs',
      isDone: targets.some(({ events, filter }) => filter !== null || !events.includes('*')),
      how: <Link to="/targets">Choose events or a filter</Link>,
    },
    {
      name: 'Signatures verified',
      isDone: isVerified,
      how: (
        <button type="button" className={classes.tick} onClick={() => verified.set('yes')}>
          My service verifies them
        </button>
      ),
    },
    {
      name: 'Alerts reach somebody',
      isDone: targets.some(({ events }) => events.some((pattern) => pattern.startsWith('relay.'))),
      how: <Link to="/targets/new">Add Slack, e-mail or another format</Link>,
    },
    {
      name: 'Backups',
      isDone: backups.schedule !== null || backups.latest !== null,
      how: (
        <>
          Set <code>SWITCHBOARD_BACKUP_DIR</code>
        </>
      ),
    },
    {
      name: 'Second admin',
      isDone: settings.user_headers !== null || tokens.some(({ scopes }) => scopes.includes('admin')),
      how: <Link to="/settings">Create a token with the scope admin</Link>,
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <details className={classes.list}>
      <summary>
        <DisclosureChevron /> Setup: {done} of {steps.length} done
        <span className={classes.next}>Next: {steps.find(({ isDone }) => !isDone)?.name}</span>
      </summary>
      <ul className={classes.steps}>
        {steps.map(({ name, isDone, how }) => (
          <li key={name} className={classes.step} data-done={isDone || undefined}>
            {isDone ? <IconCheck size={16} aria-hidden /> : <IconCircleDashed size={16} aria-hidden />}
            <span>
              {name}
              <VisuallyHidden>{isDone ? ', done' : ', not done'}</VisuallyHidden>
              {!isDone && <span className={classes.how}>{how}</span>}
            </span>
          </li>
        ))}
      </ul>
      <Button variant="subtle" onClick={() => dismissed.set('yes')}>
        Dismiss this list
      </Button>
    </details>
  );
}
