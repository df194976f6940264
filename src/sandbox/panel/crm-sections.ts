import type { Contacts } from '../crm/contacts';
import { AGENTS, SCENARIOS } from '../crm/sample-data';
import type { Tasks } from '../crm/tasks';
import { type Html, html } from '../html-page';
import { actionButton, actionForm, section, table, time } from './panel-controls';

/** Contacts: create and change. */
export function contactsSection(contacts: Contacts): Html {
  const latest = contacts.all().toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const rows = latest.map(({ id, name, company, email, phone }) => [
    html`${name} <span class="quiet line">${id}</span>`,
    html`${company}`,
    html`<span class="line">${email}</span><span class="line">${phone}</span>`,
    html`<details id="change-${id}">
      <summary aria-label="Change: ${name}">Change</summary>
      ${actionForm(
        { method: 'PATCH', path: `/contacts/${id}`, done: `${name} was changed.` },
        html`<label>Name <input name="name" value="${name}" required maxlength="200" /></label>
          <label>Company <input name="company" value="${company}" required maxlength="200" /></label>
          <button>Save</button>`,
      )}
    </details>`,
  ]);
  return section(
    'contacts',
    'Contacts',
    html`${table('contact-list', ['Contact', 'Company', 'Reach', 'Acts'], rows, 'There is none.')}
    ${actionForm(
      { method: 'POST', path: '/contacts', done: 'The contact was created.' },
      html`<label>Name <input name="name" required maxlength="200" /></label>
        <label>Company, if not made up <input name="company" maxlength="200" /></label>
        <button class="primary">Create contact</button>`,
    )}`,
  );
}

/** Open tasks: create and complete. */
export function tasksSection(tasks: Tasks): Html {
  const rows = tasks
    .all()
    .toReversed()
    .map(({ id, title, due_at, responsible_user_id }) => [
      html`${title} <span class="quiet line">${id}</span>`,
      time(due_at),
      html`${responsible_user_id}`,
      actionButton(
        { method: 'POST', path: `/tasks/${id}/complete`, done: `${title} is done.` },
        'Complete',
        title,
      ),
    ]);
  return section(
    'tasks',
    'Open tasks',
    html`${table('task-list', ['Task', 'Due', 'User', 'Acts'], rows, 'There is none.')}
    ${actionForm(
      { method: 'POST', path: '/tasks', done: 'The task was created.' },
      html`<label>Title <input name="title" required maxlength="200" /></label>
        <label>Deal, if not any <input name="deal_id" data-as="number" inputmode="numeric" /></label>
        <button class="primary">Create task</button>`,
    )}`,
  );
}

/** Scenarios to execute and agents to trigger. */
export function automationsSection(): Html {
  const scenarios = SCENARIOS.map(({ id, name }) => [
    html`${name} <span class="quiet">${id}</span>`,
    html`Scenario`,
    actionButton(
      { method: 'POST', path: `/scenarios/${id}/execute`, done: `${name} was executed.` },
      'Execute',
      name,
    ),
  ]);
  const agents = AGENTS.map(({ id, name, trigger }) => [
    html`${name} <span class="quiet">${id}</span>`,
    html`Agent, set off by <code>${trigger}</code>`,
    actionButton(
      { method: 'POST', path: `/agents/${id}/trigger`, done: `${name} was triggered.` },
      'Trigger',
      name,
    ),
  ]);
  const rows = [...scenarios, ...agents];
  return section(
    'playbook',
    'Scenarios and agents',
    table('playbook-list', ['Name', 'Kind', 'Acts'], rows, ''),
  );
}
