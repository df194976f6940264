import { IconCheck, IconX } from '@tabler/icons-react';
import type { Connection } from '../../../../src/contract/connection';
import classes from './scope-list.module.css';

/** What we may do at Co-Pilot, against what we need. */
export function ScopeList({ connection }: { connection: Connection }) {
  const { scopes_needed: needed, scopes_granted: granted, scopes_missing: missing } = connection;
  const extra = granted.filter((scope) => !needed.includes(scope));
  return (
    <div>
      <h3>Scopes</h3>
      <ul className={classes.scopes}>
        {needed.map((scope) => {
          const lacking = missing.includes(scope) || !granted.includes(scope);
          return (
            <li key={scope} className={classes.scope} data-missing={lacking || undefined}>
              {lacking ? <IconX size={14} aria-hidden /> : <IconCheck size={14} aria-hidden />}
              <code>{scope}</code>
              <span className={classes.word}>{lacking ? 'not granted' : 'granted'}</span>
            </li>
          );
        })}
        {extra.map((scope) => (
          <li key={scope} className={classes.scope} data-extra>
            <code>{scope}</code>
            <span className={classes.word}>granted, not needed</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
