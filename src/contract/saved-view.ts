import { z } from 'zod';
import { displayName } from './display-name';
import { savedViewId } from './primitives';

const fields = {
  name: displayName(60).describe('Unique, ignoring case.'),
  address: z
    .string()
    .max(4_000)
    .regex(/^\/[a-z]*(\?[^\s#]*)?$/, 'the path of a screen, then its search parameters')
    .describe(
      'What the dashboard shows: the path of a screen and its search parameters, `/events?type=deal.*&status=dead`.',
    ),
  pinned: z.boolean().describe('Whether it is a link in the navigation.'),
};

export const savedViewCreate = z
  .strictObject({
    ...fields,
    pinned: fields.pinned.default(false),
  })
  .describe('A new saved view.');
export type SavedViewCreate = z.infer<typeof savedViewCreate>;

export const savedViewChange = z.strictObject(fields).partial().describe('Changes of a saved view.');
export type SavedViewChange = z.infer<typeof savedViewChange>;

export const savedView = z
  .object({ id: savedViewId, ...fields })
  .describe('A name for what a screen of the dashboard shows; all operators share it.');
export type SavedView = z.infer<typeof savedView>;

export const savedViews = z
  .object({ data: z.array(savedView).describe('The saved views.') })
  .describe('All saved views, by name.');
export type SavedViews = z.infer<typeof savedViews>;
