import { localStorageColorSchemeManager } from '@mantine/core';

/** Keeps the reader's choice of light, dark or the system's. */
export const schemeStore = localStorageColorSchemeManager({ key: 'switchboard-scheme' });

/** Sets the theme before the first paint. Mantine's own way is an inline script, which the page's policy forbids. */
export function paintScheme(): void {
  const choice = schemeStore.get('auto');
  const dark = choice === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : choice === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = dark ? 'dark' : 'light';
}
