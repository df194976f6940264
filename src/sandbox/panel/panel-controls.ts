import { type Html, html } from '../html-page';

/** Rows shown of a list; the JSON route beneath has them all. */
const ROWS_SHOWN = 15;

/** What a form sends: the panel's script turns its fields into JSON. */
interface Action {
  method: 'POST' | 'PATCH' | 'DELETE';
  /** Below `/panel`. */
  path: string;
  /** The sentence shown when it is done. */
  done: string;
  /** Asked before. */
  confirm?: string;
}

/** A form whose fields become the JSON of a request. */
export function actionForm({ method, path, done, confirm }: Action, fields: Html): Html {
  return html`<form
    action="/panel${path}"
    data-method="${method}"
    data-done="${done}"
    data-confirm="${confirm ?? ''}"
  >
    ${fields}
  </form>`;
}

/** A single button; `name` tells it from its like in other rows. */
export function actionButton(act: Action, label: string, name: string): Html {
  return actionForm(act, html`<button aria-label="${label}: ${name}">${label}</button>`);
}

/** A card of the page. */
export function section(id: string, title: string, content: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title" tabindex="-1">${title}</h2>
    ${content}
  </section>`;
}

/** A table that the script keeps fresh; on narrow screens each row is a block, its cells under their titles. */
export function table(id: string, columns: readonly string[], rows: readonly Html[][], empty: string): Html {
  const shown = rows.slice(0, ROWS_SHOWN);
  return html`<div id="${id}" data-live>
    ${
      rows.length === 0
        ? html`<p class="quiet">${empty}</p>`
        : html`<table>
            <thead>
              <tr>
                ${columns.map((column) => html`<th scope="col">${column}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${shown.map(
                (cells) =>
                  html`<tr>
                    ${cells.map((cell, at) => html`<td data-label="${columns[at] ?? ''}">${cell}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
    ${rows.length > shown.length ? html`<p class="quiet">The latest ${shown.length} of ${rows.length}.</p>` : ''}
  </div>`;
}

/** A choice; the option whose value is `chosen` is the present one. */
export function select(
  name: string,
  options: readonly { value: string | number; text: string }[],
  { label, chosen, as = '' }: { label?: string; chosen?: string | number; as?: 'number' | '' },
): Html {
  return html`<select
    name="${name}"
    data-as="${as}"
    ${label === undefined ? '' : html`aria-label="${label}"`}
  >
    ${options.map(
      ({ value, text }) =>
        html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${text}</option>`,
    )}
  </select>`;
}

/** A point in time, to the second. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}
