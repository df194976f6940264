import { IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import type { Connection } from '../../../../src/contract/connection';
import classes from './scope-list.module.css';

const STANDINGS = {
  granted: { word: 'granted', icon: IconCheck },
  missing: { word: 'not granted', icon: IconX },
  wanted: { word: 'will be requested', icon: IconCircleDashed },
  extra: { word: 'granted, not needed', icon: IconCheck },
} as const;
type Standing = keyof typeof STANDINGS;

/** How a scope stands; before the first consent nothing is amiss yet. */
function standingOf(scope: string, connection: Connection): Standing {
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
          const standing = standingOf(scope, connection);
          const { word, icon: Icon } = STANDINGS[standing];
          return (
            <li key={scope} className={classes.scope} data-standing={standing}>
              <Icon size={14} aria-hidden />
              <code>{scope}</code>
              <span className={classes.word}>{word}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
