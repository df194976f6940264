// Sends the panel's forms as JSON and keeps the elements marked with `data-live` up to date.
import { request } from './request.js';

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

const REFRESH_INTERVAL_MS = 2_000;

const notice = /** @type {HTMLElement} */ (document.getElementById('notice'));

/** @param {(string | Node)[]} content */
function showNotice(...content) {
  const close = document.createElement('button');
  close.append('Close');
  close.addEventListener('click', () => notice.replaceChildren());
  const text = document.createElement('p');
  text.append(...content);
  notice.replaceChildren(text, close);
}

/** @param {string} text */
function codeElement(text) {
  const element = document.createElement('code');
  element.append(text);
  return element;
}

/**
 * Converts a field's text to JSON by its `data-as`; undefined leaves the field out of the request.
 * @type {Record<string, (text: string) => unknown>}
 */
const CONVERTERS = {
  '': (text) => text || undefined,
  number: (text) => (text === '' ? undefined : Number(text)),
  lines: (text) => text.split(/\s+/).filter(Boolean),
  json: (text) => (text.trim() === '' ? undefined : JSON.parse(text)),
};

/**
 * @param {HTMLFormElement} form
 * @returns {Field[]}
 */
function fieldsOf(form) {
  const fields = /** @type {Field[]} */ ([...form.elements]);
  return fields.filter(({ name }) => name);
}

/** @param {HTMLFormElement} form */
function bodyOf(form) {
  return Object.fromEntries(
    fieldsOf(form).map(({ name, value, dataset }) => [name, CONVERTERS[dataset['as'] ?? '']?.(value)]),
  );
}

/**
 * @param {HTMLFormElement} form
 * @param {{ field: string, detail: string }[]} errors
 */
function showFieldErrors(form, errors) {
  for (const text of form.querySelectorAll('.error')) text.remove();
  for (const field of form.elements) field.removeAttribute('aria-invalid');
  for (const { field: path, detail } of errors) {
    const field = fieldsOf(form).find(({ name }) => name === path.split('.')[0]);
    if (!field) continue;
    const text = document.createElement('span');
    text.className = 'error';
    text.append(detail);
    field.setAttribute('aria-invalid', 'true');
    field.after(text);
    field.focus();
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {any} content
 */
function showResult(form, content) {
  if (content.client_secret) {
    const id = content.client_id ? ['Client ID ', codeElement(content.client_id), ', '] : [];
    showNotice(...id, 'Client Secret (shown only once): ', codeElement(content.client_secret));
  } else if (content.webhookIds) {
    const receivers = content.webhookIds.join(', ');
    showNotice(
      receivers
        ? `${content.event} was sent to ${receivers}.`
        : `No active webhook is subscribed to ${content.event}, so it was not sent.`,
    );
  } else {
    showNotice(form.dataset['success'] ?? '');
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const { method = 'POST', confirm: question } = form.dataset;
  if (question && !confirm(question)) return;
  const body = bodyOf(form);
  const hasBody = Object.keys(body).length > 0;
  const { ok, content } = await request(
    method,
    form.getAttribute('action') ?? '',
    hasBody ? body : undefined,
  );
  showFieldErrors(form, content.errors ?? []);
  if (!ok) {
    showNotice(content.detail);
    return;
  }
  showResult(form, content);
  if (!form.closest('[data-live]')) form.reset();
  await refresh(form);
}

document.addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.dataset['method']) return;
  event.preventDefault();
  send(form).catch((/** @type {Error} */ error) => showNotice(error.message));
});

/**
 * An element with unsaved input is not redrawn.
 * @param {Element} element
 */
function hasUnsavedInput(element) {
  /** @type {NodeListOf<Field>} */
  const fields = element.querySelectorAll('input, textarea, select');
  return [...fields].some((field) =>
    'options' in field
      ? [...field.options].some((option) => option.selected !== option.defaultSelected)
      : field.value !== field.defaultValue || field === document.activeElement,
  );
}

/**
 * Replaces the content of a live element; open details and the focus are preserved.
 * @param {Element} element
 * @param {Element} fresh
 */
function redraw(element, fresh) {
  if (element.innerHTML === fresh.innerHTML) return;
  const opened = [...element.querySelectorAll('details[open]')].map(({ id }) => id);
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const label = focused?.getAttribute('aria-label');
  element.replaceChildren(...fresh.childNodes);
  for (const id of opened) document.getElementById(id)?.setAttribute('open', '');
  if (!focused) return;
  /** @type {NodeListOf<HTMLElement>} */
  const labelled = element.querySelectorAll('[aria-label]');
  const successor = [...labelled].find(({ ariaLabel }) => ariaLabel === label);
  (successor ?? element.closest('section')?.querySelector('h2'))?.focus();
}

/** @param {HTMLFormElement} [sender] the form that was just sent; its live element is redrawn in any case */
async function refresh(sender) {
  const text = await (await fetch('/panel')).text();
  const page = new DOMParser().parseFromString(text, 'text/html');
  for (const element of document.querySelectorAll('[data-live]')) {
    const fresh = page.getElementById(element.id);
    if (fresh && ((sender && element.contains(sender)) || !hasUnsavedInput(element))) redraw(element, fresh);
  }
}

setInterval(() => {
  if (!document.hidden) refresh().catch(() => showNotice('The sandbox is not responding.'));
}, REFRESH_INTERVAL_MS);
