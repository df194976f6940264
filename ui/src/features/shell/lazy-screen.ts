import { lazyRouteComponent } from '@tanstack/react-router';
import { createElement, type ComponentType } from 'react';
import { useTimeZone } from '../../format/time-zone';

/** The code of a screen could not be fetched: the daemon is down, or another version runs, which has other files. */
export class ScreenNotLoaded extends Error {}

/** The component of a screen, loaded when it is opened. Unlike the router's own, it does not reload a page by itself. */
export const lazyScreen = <Name extends string>(
  importer: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) =>
  lazyRouteComponent(async () => {
    try {
      return { default: inTimeZone((await importer())[name]) };
    } catch (cause) {
      throw new ScreenNotLoaded('The screen could not be loaded.', { cause });
    }
  });

/** Renders a screen again in another time zone, if it is not mounted again. */
const inTimeZone = (Screen: ComponentType) =>
  function ScreenInTimeZone() {
    useTimeZone();
    return createElement(Screen);
  };
