import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { SavedView } from '@contract/saved-view';
import { savedViewsQuery } from '../../api/saved-views';
import { StoredChoice } from '../../format/stored-choice';
import { savedViewLink } from '../../search/saved-view-link';

/** The ids of the views with which this browser opens their screens, at most one for each. */
const chosen = new StoredChoice<string>('switchboard-default-views', (ids) => ids ?? '');

/** Looks up the view with which a screen is opened from the navigation; undefined if it is opened without filters. */
export function useDefaultView(): (screen: string) => SavedView | undefined {
  const { data: views } = useQuery(savedViewsQuery);
  const ids = chosen.use();
  return useCallback(
    (screen) => views?.find((view) => ids.includes(view.id) && savedViewLink(view).to === screen),
    [views, ids],
  );
}

/** Opens its screen with this view, or without one again. @param before with which it is opened so far */
export function setDefaultView({ id }: SavedView, before: SavedView | undefined): void {
  const others = chosen
    .get()
    .split(' ')
    .filter((other) => other !== before?.id);
  chosen.set((before?.id === id ? others : [...others, id]).join(' '));
}
