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
    for (const control of table.querySelectorAll('[name]'))
      if (control !== document.activeElement) control.value = read(states[control.name]);
  };
  table.addEventListener('change', async ({ target }) => {
    try {
      show(await call('PATCH', '/' + id, { [target.name]: write(target) }));
      say(target.name + ' is ' + target.value + ' from now on.');
    } catch (error) {
      say(error.message);
    }
  });
  const refresh = () => call('GET', '/' + id).then(show, (error) => say(error.message));
  refresh();
  setInterval(refresh, 5000);
}

steer('readings', {
  read: String,
  write: (control) => (control.type === 'number' ? Number(control.value) : control.value),
});
steer('faults', {
  read: (state) => (state === true ? 'on' : state === false ? 'off' : String(state)),
  write: ({ value }) => ({ on: true, off: false })[value] ?? Number(value),
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
