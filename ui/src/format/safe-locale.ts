/**
 * Replaces a language that `Intl` rejects. Under a POSIX locale Chromium reports `en-US@posix`, and uPlot
 * passes it to `Intl` while loading, which would break the whole page.
 */
export function ensureSafeLocale(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
