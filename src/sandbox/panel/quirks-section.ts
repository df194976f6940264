import { FAULTS } from '../quirks/faults';
import { type Html, html } from '../html-page';
import { READINGS, type Reading } from '../quirks/readings';

/** The part of the panel's page where readings, faults and traffic are set. Its script fills in what is in force. */
export function quirksSection(): Html {
  return html`<section id="switches" aria-labelledby="switches-title">
    <h2 id="switches-title">Switches</h2>
    <p id="switches-notice" role="status"></p>
    <h3>Traffic</h3>
    <form id="traffic">
      <label
        >Events per second <input name="events_per_second" type="number" min="0" max="10000" step="any"
      /></label>
      <label><span>Paused</span> <input name="is_paused" type="checkbox" /></label>
      <label>Events of a burst <input name="burst_events" type="number" min="0" max="10000" /></label>
      <label>Seconds between bursts <input name="burst_every_seconds" type="number" min="1" /></label>
    </form>
    <form id="burst">
      <label>Events <input name="burst" type="number" min="1" max="10000" value="50" /></label>
      <button>Burst now</button>
    </form>
    <h3>Readings</h3>
    <p class="quiet">What the document leaves open. A change holds from the next request or attempt on.</p>
    ${rows('readings', Object.entries<Reading>(READINGS).map(readingRow))}
    <h3>Faults</h3>
    <p class="quiet">
      On, off, or a number: the next so many times. A token is revoked and a Client Secret renewed where they
      are listed.
    </p>
    ${rows('faults', Object.entries<string>(FAULTS).map(faultRow))}
    <h3>As somebody else</h3>
    <form id="foreign-act">
      <label>Webhook <input name="id" required placeholder="wh_…" /></label>
      <label>
        Act
        <select name="act">
          <option value="off">switch it off</option>
          <option value="on">switch it on</option>
          <option value="events">let it list deal.created only</option>
          <option value="delete">delete it</option>
        </select>
      </label>
      <button>Do it</button>
    </form>
    <datalist id="fault-states">
      <option>off</option>
      <option>on</option>
      <option>1</option>
    </datalist>
    <script src="/panel/switches.js" type="module"></script>
  </section>`;
}

function rows(id: string, content: Html[]): Html {
  return html`<table id="${id}">
    <thead>
      <tr>
        <th>Name</th>
        <th>What it is</th>
        <th>In force</th>
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

// The table's sentences are Markdown for the sake of the documentation; the page does without the code marks.
function plain(sentence: string): string {
  return sentence.replaceAll('`', '');
}
