import type { ChangedEntity, EntityState } from '@contract/entity';
import { EVENT_TYPES } from './event-types';
import type { StateLabel } from './state-label';

/** The kinds of entities that Co-Pilot’s events are about. */
export const ENTITY_KINDS: readonly string[] = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]!))];

/** How the states of entities are shown. */
export const ENTITY_STATES: Record<EntityState['state'], StateLabel> = {
  present: { tone: 'ok', label: 'Present', description: 'Not deleted, as far as is known' },
  deleted: { tone: 'idle', label: 'Deleted', description: 'The newest event says that it was deleted' },
};

/** How an entity differs from an earlier time. */
export const ENTITY_CHANGES: Record<ChangedEntity['change'], StateLabel> = {
  created: { tone: 'ok', label: 'Created', description: 'Created in between' },
  changed: { tone: 'busy', label: 'Changed', description: 'Known before, and different now' },
  deleted: { tone: 'warn', label: 'Deleted', description: 'Deleted in between' },
  first_seen: {
    tone: 'idle',
    label: 'First seen',
    description: 'Nothing was known of it before; it may be older',
  },
};

/** What tells a state unless it is an event of Co-Pilot’s that is stored. */
export const originOf = ({ source, retained }: Pick<EntityState, 'source' | 'retained'>): string | null => {
  if (source === 'baseline') return 'read at Co-Pilot';
  if (source === 'synthetic') return 'found by a repair';
  return retained ? null : 'its event was removed';
};
