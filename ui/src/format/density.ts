import { oneOf, StoredChoice } from './stored-choice';

/** The height of rows in lists: 40 or 28 px. */
export type Density = 'comfortable' | 'compact';

export const density = new StoredChoice<Density>('switchboard-density', oneOf('comfortable', 'compact'));

/** Sets the density before the first paint, and after every change. */
export function applyDensity(): void {
  const apply = () => (document.documentElement.dataset['density'] = density.get());
  apply();
  density.subscribe(apply);
}
