import type { Deal } from '../../protocol/shapes';
import type { Contacts } from '../crm/contacts';
import type { Deals } from '../crm/deals';
import { PIPELINES, statusesOf } from '../crm/pipelines';
import { USER_IDS } from '../crm/sample-data';
import type { Tasks } from '../crm/tasks';
import { type Html, html } from '../html-page';
import { actionButton, actionForm, section, select, table, time } from './panel-controls';

/** Deals, and forms to create, edit, move and delete them. Each change emits an event. */
export function dealsSection(deals: Deals): Html {
  const latest = deals.all().toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const pipelines = PIPELINES.map(({ id, name }) => ({ value: id, text: name }));
  return section(
    'deals',
    'Deals',
    html`!${table('deal-list', ['Deal', 'Status', 'User', 'Updated', 'Actions'], latest.map(dealRow), 'No deals.')}
    !${actionForm(
      { method: 'POST', path: '/deals', successMessage: 'The deal was created.' },
      html`<label>Name <input name="name" required maxlength="200" /></label>
        <label>Pipeline !${select('pipeline_id', pipelines, { as: 'number' })}</label>
        <label>User !${userSelect()}</label>
        <button class="primary">Create deal</button>`,
    )}`,
  );
}

function dealRow({ id, name, pipeline_id, status_id, responsible_user_id, updated_at }: Deal): Html[] {
  const path = `/deals/${id}`;
  const statuses = statusesOf(pipeline_id).map((status) => ({ value: status.id, text: status.name }));
  return [
    html`${name}
      <span class="quiet line">${id}, ${PIPELINES.find((one) => one.id === pipeline_id)?.name ?? ''}</span>`,
    actionForm(
      { method: 'PATCH', path, successMessage: `${name} was moved.` },
      html`!${select('status_id', statuses, { label: `Status of ${name}`, selected: status_id, as: 'number' })}
        <button aria-label="Move: ${name}">Move</button>`,
    ),
    html`${responsible_user_id}`,
    time(updated_at),
    html`<details id="change-${id}">
        <summary aria-label="Edit: ${name}">Edit</summary>
        !${actionForm(
          { method: 'PATCH', path, successMessage: `${name} was changed.` },
          html`<label>Name <input name="name" value="${name}" required maxlength="200" /></label>
            <label>User !${userSelect(responsible_user_id)}</label>
            <button>Save</button>`,
        )}
      </details>
      !${actionButton({ method: 'DELETE', path, successMessage: `${name} was deleted.` }, 'Delete', name)}`,
  ];
}

function userSelect(selected?: number): Html {
  const users = USER_IDS.map((id) => ({ value: id, text: String(id) }));
  return select('responsible_user_id', users, { as: 'number', ...(selected !== undefined && { selected }) });
}

/** Contacts, and forms to create and edit them. */
export function contactsSection(contacts: Contacts): Html {
  const latest = contacts.all().toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const rows = latest.map(({ id, name, company, email, phone }) => [
    html`${name} <span class="quiet line">${id}</span>`,
    html`${company}`,
    html`<span class="line">${email}</span><span class="line">${phone}</span>`,
    html`<details id="change-${id}">
      <summary aria-label="Edit: ${name}">Edit</summary>
      !${actionForm(
        { method: 'PATCH', path: `/contacts/${id}`, successMessage: `${name} was changed.` },
        html`<label>Name <input name="name" value="${name}" required maxlength="200" /></label>
          <label>Company <input name="company" value="${company}" required maxlength="200" /></label>
          <button>Save</button>`,
      )}
    </details>`,
  ]);
  return section(
    'contacts',
    'Contacts',
    html`!${table('contact-list', ['Contact', 'Company', 'Email and phone', 'Actions'], rows, 'No contacts.')}
    !${actionForm(
      { method: 'POST', path: '/contacts', successMessage: 'The contact was created.' },
      html`<label>Name <input name="name" required maxlength="200" /></label>
        <label>Company (optional) <input name="company" maxlength="200" /></label>
        <button class="primary">Create contact</button>`,
    )}`,
  );
}

/** Open tasks, and forms to create and complete them. */
export function tasksSection(tasks: Tasks): Html {
  const rows = tasks
    .all()
    .toReversed()
    .map(({ id, title, due_at, responsible_user_id }) => [
      html`${title} <span class="quiet line">${id}</span>`,
      time(due_at),
      html`${responsible_user_id}`,
      actionButton(
        { method: 'POST', path: `/tasks/${id}/complete`, successMessage: `${title} was completed.` },
        'Complete',
        title,
      ),
    ]);
  return section(
    'tasks',
    'Open tasks',
    html`!${table('task-list', ['Task', 'Due', 'User', 'Actions'], rows, 'No open tasks.')}
    !${actionForm(
      { method: 'POST', path: '/tasks', successMessage: 'The task was created.' },
      html`<label>Title <input name="title" required maxlength="200" /></label>
        <label>Deal ID (optional) <input name="deal_id" data-as="number" inputmode="numeric" /></label>
        <button class="primary">Create task</button>`,
    )}`,
  );
}
