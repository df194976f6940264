import type { SavedView } from '@contract/saved-view';
import type { EventSearch } from '../api/events';
import { parseSearch } from './query-string';

/** The screen of a saved view, and its search, which that screen validates. */
export function savedViewLink({ address }: Pick<SavedView, 'address'>) {
  const [to = '/', query = ''] = address.split('?');
  return { to: to as '/events', search: parseSearch(query) as EventSearch };
}
