import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '@contract/audit';
import { sessionsQuery } from '../../api/sessions';
import { Mono } from '../../components/mono';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { actionLabel, actorLabel } from '../../labels/audit-labels';
import classes from './audit-row.module.css';

/** An entry of the audit log. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { actor, action, subject, fields, secret_shown: secretShown, address, error: errorCode, at } = entry;
  const { data: sessions } = useQuery(sessionsQuery);
  return (
    <li className={classes.row}>
      <TimeAgo at={at} className={classes.muted} />
      <div className={classes.what}>
        <strong title={action}>{actionLabel(action)}</strong>
        {subject !== null && <Subject subject={subject} action={action} />}
        {secretShown && (
          <StateBadge
            state={{
              tone: 'warn',
              label: 'Secret shown',
              description: 'The response contained a secret, shown once.',
            }}
          />
        )}
        {errorCode !== null && (
          <StateBadge
            state={{
              tone: 'bad',
              label: 'Incomplete',
              description: `The action was only partly carried out (${errorCode}).`,
            }}
          />
        )}
        {fields.length > 0 && (
          <span className={classes.fields} title="Fields in the request">
            <Mono>{fields.join(', ')}</Mono>
          </span>
        )}
      </div>
      <div className={classes.who}>
        <span title={actor.id ?? undefined}>{actorLabel(actor, sessions)}</span>
        {address !== null && (
          <span className={classes.muted}>
            from <Mono>{address}</Mono>
          </span>
        )}
      </div>
    </li>
  );
}

interface SubjectProps {
  subject: NonNullable<AuditEntry['subject']>;
  action: string;
}

/** What an action applied to. Events and targets are links, except a target that the action deleted. */
function Subject({ subject: { id, name }, action }: SubjectProps) {
  const text = name ?? <Mono>{id}</Mono>;
  if (id.startsWith('evt_'))
    return (
      <Link to="/events/$id" params={{ id }} className={classes.subject}>
        {text}
      </Link>
    );
  if (id.startsWith('tgt_') && action !== 'target.remove')
    return (
      <Link to="/targets/$id" params={{ id }} className={classes.subject}>
        {text}
      </Link>
    );
  return (
    <span className={classes.subject} title={id}>
      {text}
    </span>
  );
}
