import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { OpenSession } from '@contract/session';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import { browserLabel } from '../../labels/browser-labels';
import classes from './access-row.module.css';

/** How the session was opened. It ends when that token is revoked. */
function describeOrigin({ opened_by: by, token }: OpenSession): string {
  if (by === 'admin_token') return 'signed in with the admin token';
  return token === null ? 'signed in with a login link' : `signed in with a login link from “${token.name}”`;
}

/** An open session. */
export function SessionRow({ session, signOut }: { session: OpenSession; signOut: () => void }) {
  const browser = browserLabel(session.user_agent);
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <strong title={session.user_agent ?? undefined}>{browser}</strong>
        {session.current && <span className={classes.muted}>this browser</span>}
      </div>
      <div className={classes.origin}>
        <span>{describeOrigin(session)}</span>
        <span>
          from <Mono>{session.address}</Mono>
        </span>
      </div>
      <div className={classes.times}>
        <span>
          last used <TimeAgo at={session.last_used_at} />
        </span>
        <span>
          signed in <TimeAgo at={session.created_at} />
        </span>
      </div>
      <div className={classes.actions}>
        <Link to="/settings" search={{ by: session.id }} hash="audit-log" className={classes.activity}>
          Activity
        </Link>
        <Button color="red" onClick={signOut} aria-label={`Sign out ${browser} from ${session.address}`}>
          Sign out
        </Button>
      </div>
    </li>
  );
}
