import { EVENT_TYPES } from '../../protocol/event-types';
import { AGENTS, SCENARIOS } from '../crm/sample-data';
import { type Html, html } from '../html-page';
import { actionButton, actionForm, section, select, table } from './panel-controls';

/** Emits any of the events (document, 6.1). */
export function eventSection(): Html {
  const types = EVENT_TYPES.map((type) => ({ value: type, text: type }));
  return section(
    'events',
    'Send an event',
    actionForm(
      { method: 'POST', path: '/events', successMessage: '' },
      html`<label>Event !${select('type', types, {})}</label>
        <label>
          Data as JSON (if empty, a generated record)
          <textarea name="data" data-as="json" rows="2" spellcheck="false"></textarea>
        </label>
        <button class="primary">Send event</button>`,
    ),
  );
}

/** Executes scenarios and triggers agents. */
export function automationsSection(): Html {
  const scenarios = SCENARIOS.map(({ id, name }) => [
    html`${name} <span class="quiet">${id}</span>`,
    html`Scenario`,
    actionButton(
      { method: 'POST', path: `/scenarios/${id}/execute`, successMessage: `${name} was executed.` },
      'Execute',
      name,
    ),
  ]);
  const agents = AGENTS.map(({ id, name, trigger }) => [
    html`${name} <span class="quiet">${id}</span>`,
    html`Agent, triggered by <code>${trigger}</code>`,
    actionButton(
      { method: 'POST', path: `/agents/${id}/trigger`, successMessage: `${name} was triggered.` },
      'Trigger',
      name,
    ),
  ]);
  const rows = [...scenarios, ...agents];
  return section(
    'automations',
    'Scenarios and agents',
    table('automation-list', ['Name', 'Type', 'Actions'], rows, ''),
  );
}
