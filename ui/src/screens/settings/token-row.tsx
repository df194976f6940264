import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Token } from '@contract/token';
import { Mono } from '../../components/mono';
import { StateBadge } from '../../components/state-badge';
import { RelativeTime, TimeAgo } from '../../components/time-ago';
import { SCOPE_LABELS } from '../../labels/scope-labels';
import type { StateLabel } from '../../labels/state-label';
import classes from './access-row.module.css';

const STATES: Record<Token['state'], StateLabel> = {
  active: { tone: 'ok', label: 'Active', description: 'The token is valid.' },
  expired: {
    tone: 'warn',
    label: 'Expired',
    description: 'The token is rejected. Create a new one and revoke this one.',
  },
};

/** An API token with its scopes, expiry and last use. */
export function TokenRow({ token, revoke }: { token: Token; revoke: () => void }) {
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <strong>{token.name}</strong>
        <span className={classes.muted} title="Last four characters of the secret">
          <Mono>…{token.hint}</Mono>
        </span>
      </div>
      <ul className={classes.scopes} aria-label="Scopes">
        {token.scopes.map((scope) => (
          <li key={scope} title={SCOPE_LABELS[scope]}>
            <Mono>{scope}</Mono>
          </li>
        ))}
      </ul>
      <div className={classes.state}>
        <StateBadge state={STATES[token.state]} />
      </div>
      <div className={classes.times}>
        <span>
          {token.last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <TimeAgo at={token.last_used_at} />
            </>
          )}
        </span>
        <span>
          {token.expires_at === null ? (
            'does not expire'
          ) : (
            <>
              {token.state === 'expired' ? 'expired' : 'expires'} <RelativeTime at={token.expires_at} />
            </>
          )}
        </span>
      </div>
      <div className={classes.actions}>
        <Link to="/settings" search={{ by: token.id }} hash="audit-log" className={classes.activity}>
          Activity
        </Link>
        <Button color="red" onClick={revoke} aria-label={`Revoke ${token.name}`}>
          Revoke
        </Button>
      </div>
    </li>
  );
}
