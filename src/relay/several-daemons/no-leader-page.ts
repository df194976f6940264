import { plainPage } from '../http/plain-page';

/** Shown instead of the dashboard while no daemon leads; it loads again until one does. */
export const noLeaderPage = (reloadAfterS: number): string =>
  plainPage(
    'No daemon leads at the moment',
    '<p>Another daemon takes over within seconds, and this page continues then. Notifications are received meanwhile.</p>',
    reloadAfterS,
  );
