import { localStorageColorSchemeManager } from '@mantine/core';

/** Stores the selected colour scheme: light, dark or the system's. */
export const schemeStore = localStorageColorSchemeManager({ key: 'switchboard-scheme' });

/** Sets the colour scheme before the first paint. Mantine's inline script is forbidden by the content policy. */
export function applyScheme(): void {
  const choice = schemeStore.get('auto');
  const dark = choice === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : choice === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = dark ? 'dark' : 'light';
}
