/**
 * Gives the browser a language that `Intl` takes. Under a POSIX locale Chromium calls itself `en-US@posix`, and a
 * library that hands this to `Intl` while it loads (uPlot) takes the whole page down with it.
 */
export function ensureSafeLocale(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
