import { z } from 'zod';
import { displayName } from './display-name';
import { savedViewId } from './primitives';

const fields = {
  /** Unique, ignoring case. */
  name: displayName(60),
  /** What the dashboard shows: the path of a screen and its search parameters, `/events?type=deal.*&status=dead`. */
  address: z
    .string()
    .max(4_000)
    .regex(/^\/[a-z]*(\?[^\s#]*)?$/, 'the path of a screen, then its search parameters'),
  /** Whether it is a link in the navigation. */
  pinned: z.boolean(),
};

export const savedViewCreate = z.strictObject({ ...fields, pinned: fields.pinned.default(false) });
export type SavedViewCreate = z.infer<typeof savedViewCreate>;

export const savedViewChange = z.strictObject(fields).partial();
export type SavedViewChange = z.infer<typeof savedViewChange>;

/** A name for what a screen of the dashboard shows; all operators share it. */
export const savedView = z.object({ id: savedViewId, ...fields });
export type SavedView = z.infer<typeof savedView>;

/** All saved views, by name. */
export const savedViews = z.object({ data: z.array(savedView) });
export type SavedViews = z.infer<typeof savedViews>;
