/** The script of the panel's section of switches. */
export const SWITCHES_SCRIPT = `
const say = (text) => document.getElementById('switches-notice').replaceChildren(text);

async function call(method, path, body) {
  const json = { 'content-type': 'application/json' };
  const answer = await fetch('/panel' + path, { method, ...(body && { headers: json, body: JSON.stringify(body) }) });
  const content = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(content.detail);
  return content;
}

function steer(id, { read, write }) {
  const table = document.getElementById(id);
  const show = (states) => {
    for (const control of table.querySelectorAll('[name]')) {
      if (control === document.activeElement) continue;
      if (control.type === 'checkbox') control.checked = states[control.name];
      else control.value = read(states[control.name]);
    }
  };
  table.addEventListener('change', async ({ target }) => {
    try {
      const set = await call('PATCH', '/' + id, { [target.name]: write(target) });
      show(set);
      say(target.name + ' is ' + read(set[target.name]) + ' from now on.');
    } catch (error) {
      say(error.message);
    }
  });
  const refresh = () => call('GET', '/' + id).then(show, (error) => say(error.message));
  refresh();
  setInterval(refresh, 5000);
}

function valueOf({ type, value, checked }) {
  if (type === 'checkbox') return checked;
  return type === 'number' ? Number(value) : value;
}

steer('traffic', { read: String, write: valueOf });
steer('readings', { read: String, write: valueOf });
steer('faults', {
  read: (state) => (state === true ? 'on' : state === false ? 'off' : String(state)),
  write: ({ value }) => ({ on: true, off: false })[value] ?? Number(value),
});

document.getElementById('traffic').addEventListener('submit', (event) => event.preventDefault());
document.getElementById('burst').addEventListener('submit', (event) => {
  event.preventDefault();
  const burst = Number(new FormData(event.target).get('burst'));
  call('PATCH', '/traffic', { burst }).then(
    () => say(burst + ' events happened.'),
    (error) => say(error.message),
  );
});

const CHANGES = { off: { active: false }, on: { active: true }, events: { events: ['deal.created'] } };
document.getElementById('foreign-act').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const path = '/webhooks/' + encodeURIComponent(form.get('id'));
  const act = form.get('act');
  try {
    await (act === 'delete' ? call('DELETE', path) : call('PATCH', path, CHANGES[act]));
    say('Done: ' + form.get('id') + '.');
  } catch (error) {
    say(error.message);
  }
});
`;
