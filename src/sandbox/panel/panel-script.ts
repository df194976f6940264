/** The script of the panel's page: it sends its forms as JSON, and keeps fresh what is marked with `data-live`. */
export const PANEL_SCRIPT = `
const notice = document.getElementById('notice');

function say(...content) {
  const close = document.createElement('button');
  close.append('Close');
  close.addEventListener('click', () => notice.replaceChildren());
  const text = document.createElement('p');
  text.append(...content);
  notice.replaceChildren(text, close);
}

function code(text) {
  const made = document.createElement('code');
  made.append(text);
  return made;
}

// What a field says, in JSON; undefined is left out of the request.
const READ = {
  '': (text) => text || undefined,
  number: (text) => (text === '' ? undefined : Number(text)),
  lines: (text) => text.split(/\\s+/).filter(Boolean),
  json: (text) => (text.trim() === '' ? undefined : JSON.parse(text)),
};

function bodyOf(form) {
  const fields = [...form.elements].filter(({ name }) => name);
  return Object.fromEntries(fields.map(({ name, value, dataset }) => [name, READ[dataset.as ?? ''](value)]));
}

function mark(form, errors) {
  for (const text of form.querySelectorAll('.error')) text.remove();
  for (const field of form.elements) field.removeAttribute('aria-invalid');
  for (const { field: path, detail } of errors) {
    const field = form.elements[path.split('.')[0]];
    if (!field?.name) continue;
    const text = document.createElement('span');
    text.className = 'error';
    text.append(detail);
    field.setAttribute('aria-invalid', 'true');
    field.after(text);
    field.focus();
  }
}

function tell(form, answer) {
  if (answer.client_secret) {
    const id = answer.client_id ? ['Client ID ', code(answer.client_id), ', '] : [];
    return say(...id, 'Client Secret, shown this once: ', code(answer.client_secret));
  }
  if (answer.webhookIds) {
    const receivers = answer.webhookIds.join(', ') || 'nobody: no active webhook lists it';
    return say(answer.event + ' happened and went to ' + receivers + '.');
  }
  say(form.dataset.done);
}

async function send(form) {
  const { method, confirm: question } = form.dataset;
  if (question && !confirm(question)) return;
  const body = bodyOf(form);
  const sent = Object.keys(body).length > 0 && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await fetch(form.getAttribute('action'), { method, ...sent });
  const content = answer.status === 204 ? {} : await answer.json();
  mark(form, content.errors ?? []);
  if (!answer.ok) return say(content.detail);
  tell(form, content);
  if (!form.closest('[data-live]')) form.reset();
  await refresh({ by: form });
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!form.dataset.method) return;
  event.preventDefault();
  send(form).catch((error) => say(error.message));
});

// What somebody is writing is not drawn anew under their hands.
const isTouched = (part) =>
  [...part.querySelectorAll('input, textarea, select')].some((field) =>
    field.options
      ? [...field.options].some((option) => option.selected !== option.defaultSelected)
      : field.value !== field.defaultValue || field === document.activeElement,
  );

function redraw(part, fresh) {
  if (part.innerHTML === fresh.innerHTML) return;
  const opened = [...part.querySelectorAll('details[open]')].map(({ id }) => id);
  const focused = part.contains(document.activeElement) && document.activeElement;
  const place = focused && focused.getAttribute('aria-label');
  part.replaceChildren(...fresh.childNodes);
  for (const id of opened) document.getElementById(id)?.setAttribute('open', '');
  if (!focused) return;
  const again = [...part.querySelectorAll('[aria-label]')].find((one) => one.ariaLabel === place);
  (again ?? part.closest('section').querySelector('h2')).focus();
}

async function refresh({ by } = {}) {
  const page = new DOMParser().parseFromString(await (await fetch('/panel')).text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const fresh = page.getElementById(part.id);
    if (fresh && (part.contains(by) || !isTouched(part))) redraw(part, fresh);
  }
}

setInterval(() => {
  if (!document.hidden) refresh().catch(() => say('The sandbox does not answer.'));
}, 2000);
`;
