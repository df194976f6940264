import type { Contacts } from '../crm/contacts';
import type { Tasks } from '../crm/tasks';
import { type Html, html } from '../html-page';
import { actionButton, actionForm, section, table, time } from './panel-controls';

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
