// Shows and changes traffic and quirks, and changes webhooks as another user would.
import { request } from './request.js';

const REFRESH_INTERVAL_MS = 5_000;

/** @typedef {string | number | boolean} Value */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
const elementById = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} text */
const showNotice = (text) => elementById('quirks-notice').replaceChildren(text);

/** @param {Error} error */
const showError = (error) => showNotice(error.message);

/**
 * @param {string} method
 * @param {string} path
 * @param {Record<string, unknown>} [body]
 */
async function call(method, path, body) {
  const { ok, content } = await request(method, `/panel${path}`, body);
  if (!ok) throw new Error(content.detail);
  return content;
}

/** @param {Value} value a fault's state is a boolean or a number */
function format(value) {
  if (value === true) return 'on';
  return value === false ? 'off' : String(value);
}

/** @param {HTMLInputElement} control with a `list` if it is that of a fault */
function parse({ type, value, checked, list }) {
  if (type === 'checkbox') return checked;
  if (list) return value === 'on' || value === 'off' ? value === 'on' : Number(value);
  return type === 'number' ? Number(value) : value;
}

/**
 * Binds the controls of one group to its JSON route: shows the current values and sends each change.
 * @param {string} id of the group's element
 * @param {string} path of the route, below /panel
 */
function bindControls(id, path) {
  const group = elementById(id);
  /** @param {Record<string, Value>} values */
  const show = (values) => {
    /** @type {NodeListOf<HTMLInputElement>} */
    const controls = group.querySelectorAll('[name]');
    for (const control of controls) {
      const value = values[control.name];
      if (control === document.activeElement || value === undefined) continue;
      if (control.type === 'checkbox') control.checked = value === true;
      else control.value = format(value);
    }
  };
  /** @param {HTMLInputElement} control */
  const save = async (control) => {
    const values = await call('PATCH', path, { [control.name]: parse(control) });
    show(values);
    showNotice(`${control.name} is now ${format(values[control.name])}.`);
  };
  const refresh = () => call('GET', path).then(show, showError);
  group.addEventListener('change', ({ target }) => {
    save(/** @type {HTMLInputElement} */ (target)).catch(showError);
  });
  void refresh();
  setInterval(refresh, REFRESH_INTERVAL_MS);
}

bindControls('traffic', '/traffic');
bindControls('quirk-list', '/quirks');

/**
 * @param {FormData} input
 * @param {string} name
 */
function textOf(input, name) {
  const value = input.get(name);
  return typeof value === 'string' ? value : '';
}

/**
 * @param {string} id
 * @param {(input: FormData) => Promise<string>} send resolves to the message to show
 */
function handleSubmit(id, send) {
  elementById(id).addEventListener('submit', (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    send(new FormData(form)).then(showNotice, showError);
  });
}

// Its fields are saved one by one as they change.
elementById('traffic').addEventListener('submit', (event) => event.preventDefault());

handleSubmit('burst', async (input) => {
  const burst = Number(textOf(input, 'burst'));
  await call('PATCH', '/traffic', { burst });
  return `${burst} events were sent.`;
});

/** @type {Record<string, Record<string, unknown>>} */
const WEBHOOK_CHANGES = {
  disable: { active: false },
  enable: { active: true },
  events: { events: ['deal.created'] },
};

handleSubmit('webhook-change', async (input) => {
  const id = textOf(input, 'id');
  const change = textOf(input, 'change');
  const path = `/webhooks/${encodeURIComponent(id)}`;
  if (change === 'delete') await call('DELETE', path);
  else await call('PATCH', path, WEBHOOK_CHANGES[change]);
  return `${id} was ${change === 'delete' ? 'deleted' : 'changed'}.`;
});
