import { queryOptions } from '@tanstack/react-query';
import type { SavedView, SavedViewChange, SavedViewCreate, SavedViews } from '@contract/saved-view';
import { change, read } from './request';

/** The saved views of the hub, by name. */
export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: () => read<SavedViews>('/saved-views'),
  select: ({ data }) => data,
});

export const saveView = (view: SavedViewCreate): Promise<SavedView> =>
  change<SavedView>('POST', '/saved-views', view);

export const changeView = (id: string, changes: SavedViewChange): Promise<SavedView> =>
  change<SavedView>('PATCH', `/saved-views/${encodeURIComponent(id)}`, changes);

export const deleteView = (id: string): Promise<void> =>
  change<void>('DELETE', `/saved-views/${encodeURIComponent(id)}`);
