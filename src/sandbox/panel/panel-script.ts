/** The script of the panel's page. It writes text nodes only, so nothing that was registered can become markup. */
export const PANEL_SCRIPT = `
const byId = (id) => document.getElementById(id);

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

async function call(method, path, body) {
  const json = { 'content-type': 'application/json' };
  const answer = await fetch('/panel' + path, { method, ...(body && { headers: json, body: JSON.stringify(body) }) });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.detail);
  return content;
}

const say = (text) => byId('notice').replaceChildren(text);

function onSubmit(id, act) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    act(new FormData(event.target)).catch((error) => say(error.message));
  });
}

const row = (...cells) => element('tr', ...cells.map((cell) => element('td', cell)));

function showApplication(application) {
  const renew = element('button', 'New secret');
  renew.addEventListener('click', () => {
    if (!confirm('The present Client Secret ends to be valid at once. Go on?')) return;
    call('POST', '/applications/' + encodeURIComponent(application.client_id) + '/secret')
      .then(({ client_secret }) => say('Client Secret, shown this once: ' + client_secret))
      .catch((error) => say(error.message));
  });
  return row(
    application.name,
    element('code', application.client_id),
    element('code', application.redirect_uris.join(' ')),
    renew,
  );
}

function describe(attempt) {
  const { kind, status, code } = attempt.outcome;
  return attempt.number + ': ' + (status ?? code ?? kind) + ' after ' + attempt.durationMs + ' ms';
}

async function showWebhook(webhook) {
  const { data } = await call('GET', '/webhooks/' + webhook.webhook_id + '/deliveries');
  const title = element('p', element('code', webhook.webhook_id), ' to ', element('code', webhook.url));
  const about = element('p', (webhook.active ? 'active: ' : 'switched off: ') + webhook.events.join(', '));
  about.className = 'quiet';
  const titles = ['Happened', 'Event', 'State', 'Attempts'].map((title) => element('th', title));
  const table = element('table', element('thead', element('tr', ...titles)), element('tbody'));
  for (const delivery of data.slice(0, 10)) {
    const attempts = delivery.attempts.map(describe).join('; ');
    table.tBodies[0].append(row(delivery.timestamp, delivery.event, delivery.state, attempts));
  }
  return element('div', title, about, table);
}

async function showApplications() {
  const { data } = await call('GET', '/applications');
  byId('applications').replaceChildren(...data.map(showApplication));
}

async function showWebhooks() {
  const { data } = await call('GET', '/webhooks');
  const shown = await Promise.all(data.map(showWebhook));
  byId('webhooks').replaceChildren(...(shown.length > 0 ? shown : ['None is registered.']));
}

onSubmit('new-application', async (form) => {
  const redirect_uris = form.get('redirect_uris').split(/\\s+/).filter(Boolean);
  const made = await call('POST', '/applications', { name: form.get('name'), redirect_uris });
  say('Client ID: ' + made.client_id + ' Client Secret, shown this once: ' + made.client_secret);
  byId('new-application').reset();
  await showApplications();
});
onSubmit('event', async (form) => {
  const { event, webhookIds } = await call('POST', '/events', { type: form.get('type') });
  say(event + ' happened and went to ' + (webhookIds.join(', ') || 'nobody: no active webhook lists it') + '.');
  await showWebhooks();
});

await Promise.all([showApplications(), showWebhooks()]);
// Only what changes by itself is drawn anew: a button that is drawn anew loses the focus.
setInterval(() => showWebhooks().catch((error) => say(error.message)), 2000);
`;
