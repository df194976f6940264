import { IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import type { Connection } from '../../../../src/contract/connection';
import classes from './scope-list.module.css';

const SCOPE_STATUSES = {
  granted: { label: 'granted', icon: IconCheck },
  missing: { label: 'not granted', icon: IconX },
  wanted: { label: 'will be requested', icon: IconCircleDashed },
  extra: { label: 'granted, not needed', icon: IconCheck },
} as const;
type ScopeStatus = keyof typeof SCOPE_STATUSES;

/** How a scope stands; before the first consent nothing is amiss yet. */
function scopeStatus(scope: string, connection: Connection): ScopeStatus {
  const granted = connection.scopes_granted.includes(scope);
  if (!connection.scopes_needed.includes(scope)) return 'extra';
  if (granted && !connection.scopes_missing.includes(scope)) return 'granted';
  return connection.connected_at === null ? 'wanted' : 'missing';
}

/** What we may do at Co-Pilot, against what we need. */
export function ScopeList({ connection }: { connection: Connection }) {
  const scopes = [...new Set([...connection.scopes_needed, ...connection.scopes_granted])];
  return (
    <div>
      <h3>Scopes</h3>
      <ul className={classes.scopes}>
        {scopes.map((scope) => {
          const status = scopeStatus(scope, connection);
          const { label, icon: Icon } = SCOPE_STATUSES[status];
          return (
            <li key={scope} className={classes.scope} data-standing={status}>
              <Icon size={14} aria-hidden />
              <code>{scope}</code>
              <span className={classes.text}>{label}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
