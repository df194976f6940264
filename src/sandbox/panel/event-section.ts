import { EVENT_TYPES } from '../../protocol/event-types';
import { type Html, html } from '../html-page';
import { actionForm, section, select } from './panel-controls';

/** Any of the ten events by hand (document, 6.1). */
export function eventSection(): Html {
  const types = EVENT_TYPES.map((type) => ({ value: type, text: type }));
  return section(
    'events',
    'Events by hand',
    actionForm(
      { method: 'POST', path: '/events', done: '' },
      html`<label>Event ${select('type', types, {})}</label>
        <label>
          data as JSON; left empty, a believable record
          <textarea name="data" data-as="json" rows="2" spellcheck="false"></textarea>
        </label>
        <button class="primary">Let it happen</button>`,
    ),
  );
}
