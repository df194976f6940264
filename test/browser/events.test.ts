import { accessibilityViolations, horizontalOverflow, show, withLook } from '../support/browser/dashboard';
import { PHONE, page, shareHub } from './events/hub';
import { eventSearch } from './events/search';
import { selectedEvents } from './events/selection';
import { foundEvents } from './events/list';
import { manyEvents } from './events/many-events';
import { savedViews } from './events/saved-views';

shareHub();

describe('the search for events', eventSearch);
describe('the list of events that were found', foundEvents);
describe('selected events', selectedEvents);
describe('saved views', savedViews);
describe('the events screen with twenty thousand events', manyEvents);

it.each([
  ['light', 1440],
  ['dark', PHONE.width],
] as const)(
  'has no accessibility violations and no horizontal overflow (%s, %d wide)',
  async (colorScheme, width) => {
    await withLook(page, { colorScheme, viewport: { ...PHONE, width } }, async () => {
      for (const path of ['/events', '/events?q=order&type=deal.*&status=succeeded', '/events?q=nowhere']) {
        await show(page, path);
        await page
          .getByText(/^(Order \d+|No events match|Contact 20000)$/)
          .first()
          .waitFor();
        if (width === PHONE.width) await page.getByRole('button', { name: 'Filters' }).click();
        expect({ path, found: await accessibilityViolations(page) }).toEqual({ path, found: [] });
        expect({ path, overflow: await horizontalOverflow(page) }).toEqual({ path, overflow: 0 });
      }
    });
  },
);
