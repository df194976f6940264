import { IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import type { Connection } from '@contract/connection';
import classes from './scope-list.module.css';

const SCOPE_STATUSES = {
  granted: { label: 'granted', icon: IconCheck },
  missing: { label: 'not granted', icon: IconX },
  requested: { label: 'will be requested', icon: IconCircleDashed },
  refused: { label: 'no longer valid', icon: IconX },
  extra: { label: 'granted, not needed', icon: IconCheck },
} as const;
type ScopeStatus = keyof typeof SCOPE_STATUSES;

/** The status of a scope; before the first consent none is missing yet, and of a refused grant none is left. */
function scopeStatus(scope: string, connection: Connection): ScopeStatus {
  const granted = connection.scopes_granted.includes(scope);
  if (granted && connection.state === 'consent_needed') return 'refused';
  if (!connection.scopes_needed.includes(scope)) return 'extra';
  if (granted && !connection.scopes_missing.includes(scope)) return 'granted';
  return connection.connected_at === null ? 'requested' : 'missing';
}

/** Granted and required scopes. */
export function ScopeList({ connection }: { connection: Connection }) {
  const names = [...new Set([...connection.scopes_needed, ...connection.scopes_granted])];
  const scopes = names.map((scope) => ({ scope, status: scopeStatus(scope, connection) }));
  const allGranted = scopes.every(({ status }) => status === 'granted');
  return (
    <div>
      <h3>{allGranted ? 'Scopes, all granted' : 'Scopes'}</h3>
      <ul className={classes.scopes}>
        {scopes.map(({ scope, status }) => {
          const { label, icon: Icon } = SCOPE_STATUSES[status];
          return (
            <li key={scope} className={classes.scope} data-status={status}>
              <Icon size={14} aria-hidden />
              <code>{scope}</code>
              {!allGranted && <span className={classes.text}>{label}</span>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
