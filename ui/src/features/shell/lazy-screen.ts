import { lazyRouteComponent } from '@tanstack/react-router';

/** The code of a screen could not be fetched: the daemon is down, or another version runs, which has other files. */
export class ScreenNotLoaded extends Error {}

/** The component of a screen, loaded when it is opened. Unlike the router's own, it does not reload a page by itself. */
export const lazyScreen: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(
    () =>
      importer().catch((cause: unknown) => {
        throw new ScreenNotLoaded('The screen could not be loaded.', { cause });
      }),
    name,
  );
