import { type Html, html } from '../html-page';

/** The most rows that a table of the page shows; the JSON routes return all. */
const MAX_ROWS = 15;

/** The request that a form sends; `panel.js` converts its fields to JSON. */
interface Action {
  method: 'POST' | 'PATCH' | 'DELETE';
  /** Relative to `/panel`. */
  path: string;
  /** Shown on success. */
  successMessage: string;
  /** Asked before sending. */
  confirm?: string;
}

/** A form that sends its fields as JSON. */
export function actionForm({ method, path, successMessage: done, confirm }: Action, fields: Html): Html {
  return html`<form
    action="/panel${path}"
    data-method="${method}"
    data-success="${done}"
    data-confirm="${confirm ?? ''}"
  >
    !${fields}
  </form>`;
}

/** A single button; `name` distinguishes it from the same button in other rows for screen readers. */
export function actionButton(action: Action, label: string, name: string): Html {
  return actionForm(action, html`<button aria-label="${label}: ${name}">${label}</button>`);
}

/** A section of the page with a heading. */
export function section(id: string, title: string, content: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title" tabindex="-1">${title}</h2>
    !${content}
  </section>`;
}

/** A table that `panel.js` keeps up to date. On narrow screens each row becomes a block of labelled cells. */
export function table(id: string, columns: readonly string[], rows: readonly Html[][], empty: string): Html {
  const shown = rows.slice(0, MAX_ROWS);
  return html`<div id="${id}" data-live>
    !${
      rows.length === 0
        ? html`<p class="quiet">${empty}</p>`
        : html`<table>
            <thead>
              <tr>
                !${columns.map((column) => html`<th scope="col">${column}</th>`)}
              </tr>
            </thead>
            <tbody>
              !${shown.map(
                (cells) =>
                  html`<tr>
                    !${cells.map((cell, at) => html`<td data-label="${columns[at] ?? ''}">!${cell}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
    !${rows.length > shown.length ? html`<p class="quiet">Showing the latest ${shown.length} of ${rows.length}.</p>` : ''}
  </div>`;
}

/** A drop-down list with the option `selected`. */
export function select(
  name: string,
  options: readonly { value: string | number; text: string }[],
  { label, selected, as = '' }: { label?: string; selected?: string | number; as?: 'number' | '' },
): Html {
  return html`<select
    name="${name}"
    data-as="${as}"
    !${label === undefined ? '' : html`aria-label="${label}"`}
  >
    !${options.map(
      ({ value, text }) =>
        html`<option value="${value}" !${value === selected ? html`selected` : ''}>${text}</option>`,
    )}
  </select>`;
}

/** A time, to the second. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}
