import { FAULTS } from '../quirks/faults';
import { type Html, html } from '../html-page';
import { READINGS, type Reading } from '../quirks/readings';

/** Controls for traffic, readings and faults; `quirks.js` fills in the current values. */
export function quirksSection(): Html {
  return html`<section id="quirks" aria-labelledby="quirks-title">
    <h2 id="quirks-title">Traffic, readings, faults</h2>
    <p id="quirks-notice" role="status"></p>
    <h3>Traffic</h3>
    <form id="traffic">
      <label
        >Events per second <input name="events_per_second" type="number" min="0" max="10000" step="any"
      /></label>
      <label><span>Paused</span> <input name="is_paused" type="checkbox" /></label>
      <label>Events per burst <input name="burst_events" type="number" min="0" max="10000" /></label>
      <label>Seconds between bursts <input name="burst_every_seconds" type="number" min="1" /></label>
    </form>
    <form id="burst">
      <label>Number of events <input name="burst" type="number" min="1" max="10000" value="50" /></label>
      <button>Send burst</button>
    </form>
    <h3>Readings</h3>
    <p class="quiet">
      How the sandbox interprets what the document leaves open. A change takes effect with the next request or
      attempt.
    </p>
    ${rows('readings', Object.entries<Reading>(READINGS).map(readingRow))}
    <h3>Faults</h3>
    <p class="quiet">
      On, off, or the number of times the fault is to occur. To revoke a token or renew a Client Secret, use
      the lists above.
    </p>
    ${rows('faults', Object.entries<string>(FAULTS).map(faultRow))}
    <h3>Change a webhook as another user</h3>
    <form id="webhook-change">
      <label>Webhook <input name="id" required placeholder="wh_…" /></label>
      <label>
        Change
        <select name="change">
          <option value="disable">disable</option>
          <option value="enable">enable</option>
          <option value="events">subscribe to deal.created only</option>
          <option value="delete">delete</option>
        </select>
      </label>
      <button>Apply</button>
    </form>
    <datalist id="fault-states">
      <option>off</option>
      <option>on</option>
      <option>1</option>
    </datalist>
    <script src="/panel/quirks.js" type="module"></script>
  </section>`;
}

function rows(id: string, content: Html[]): Html {
  return html`<table id="${id}">
    <thead>
      <tr>
        <th>Name</th>
        <th>Description</th>
        <th>Current value</th>
      </tr>
    </thead>
    <tbody>
      ${content}
    </tbody>
  </table>`;
}

function row(name: string, about: Html, control: Html): Html {
  return html`<tr>
    <td style="white-space: nowrap"><code>${name}</code></td>
    <td>${about}</td>
    <td>${control}</td>
  </tr>`;
}

function readingRow([name, reading]: [string, Reading]): Html {
  if (!('values' in reading)) {
    const limits = 'least' in reading && html`type="number" min="${reading.least}" max="${reading.most}"`;
    const input = html`<input name="${name}" aria-label="${name}" ${limits || ''} />`;
    return row(name, html`${plain(reading.about)}`, input);
  }
  const values = Object.entries<string>(reading.values);
  const meanings = values.map(([value, about]) => html`<li><code>${value}</code>: ${plain(about)}</li>`);
  const options = values.map(([value]) => html`<option>${value}</option>`);
  return row(
    name,
    html`${plain(reading.about)}
      <ul>
        ${meanings}
      </ul>`,
    html`<select name="${name}" aria-label="${name}">
      ${options}
    </select>`,
  );
}

function faultRow([name, about]: [string, string]): Html {
  const input = html`<input name="${name}" aria-label="${name}" list="fault-states" size="6" />`;
  return row(name, html`${plain(about)}`, input);
}

// The descriptions are Markdown because the documentation repeats them.
function plain(sentence: string): string {
  return sentence.replaceAll('`', '');
}
