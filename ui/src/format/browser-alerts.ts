import { oneOf, StoredChoice } from './stored-choice';

/** Whether this browser shows critical issues as notifications of its own. */
export const browserAlerts = new StoredChoice('switchboard-alerts', oneOf('off', 'on'));

/** Browsers offer them only over https and on localhost. */
export const canAlert = (): boolean => 'Notification' in window;

/** Asks the browser, which may ask the user. @returns whether notifications are allowed */
export async function turnOnBrowserAlerts(): Promise<boolean> {
  const isAllowed = (await Notification.requestPermission()) === 'granted';
  if (isAllowed) browserAlerts.set('on');
  return isAllowed;
}

/** Shows one, if the user has turned them on. A later one with the same id replaces it. */
export function alertInBrowser(id: string, title: string, body: string): void {
  if (browserAlerts.get() === 'off' || !canAlert() || Notification.permission !== 'granted') return;
  try {
    const alert = new Notification(title, { body, tag: id, icon: '/favicon-alert.svg' });
    alert.addEventListener('click', () => window.focus());
  } catch {
    // Chrome on Android offers them to service workers only.
  }
}
