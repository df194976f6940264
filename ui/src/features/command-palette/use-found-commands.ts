import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { entityQuery } from '../../api/entities';
import { listEvents } from '../../api/events';
import type { Command } from './command';

const DEBOUNCE_MS = 250;
const MIN_LENGTH = 2;
const MAX_EVENTS = 5;

const EVENT_ID = /^evt_[0-9a-z]{26}$/;
const ENTITY = /^[a-z_]+:\S+$/i;

/** What the typed text leads to: an event id, an entity, or events with the text in their payload. */
export function useFoundCommands(text: string): Command[] {
  const navigate = useNavigate();
  const typed = text.trim();
  const [searched] = useDebouncedValue(typed, DEBOUNCE_MS);
  const isEventId = EVENT_ID.test(typed);
  const { data: events = [] } = useQuery({
    queryKey: ['palette-events', searched],
    queryFn: () => listEvents({ q: searched }, MAX_EVENTS),
    select: (page) => page.data,
    enabled: searched.length >= MIN_LENGTH && !isEventId,
    placeholderData: keepPreviousData,
  });
  const { data: found } = useQuery({
    ...entityQuery(searched),
    enabled: ENTITY.test(searched),
    retry: false,
  });
  if (typed.length < MIN_LENGTH) return [];

  const openEvent = (group: Command['group'], id: string, label: string, hint: string): Command => ({
    id,
    group,
    label,
    hint,
    run: () => void navigate({ to: '/events/$id', params: { id } }),
  });
  const openEntity = (group: Command['group'], entity: string, hint: string): Command => ({
    id: `entity ${entity}`,
    group,
    label: entity,
    hint,
    run: () => void navigate({ to: '/entities/$entity', params: { entity } }),
  });
  if (isEventId) return [openEvent('Id', typed, typed, 'open this event')];

  const named = new Map(
    events.flatMap(({ entity, name }) => (entity === null ? [] : [[entity, name ?? '']])),
  );
  const typedEntity = ENTITY.test(typed)
    ? [openEntity('Id', typed, (found?.entity === typed && found.name) || 'open this entity')]
    : [];
  named.delete(typed);
  return [
    ...typedEntity,
    ...[...named].map(([entity, name]) => openEntity('Events', entity, name)),
    ...events.map(({ id, type, name, entity }) => openEvent('Events', id, type, name ?? entity ?? id)),
    {
      id: 'search',
      group: 'Events',
      label: `Search all events for “${typed}”`,
      run: () => void navigate({ to: '/events', search: { q: typed } }),
    },
  ];
}
