import { type Html, html } from '../html-page';
import { type Quirk, QUIRKS } from '../quirks/quirk-table';

/** Controls for traffic and quirks; `quirks.js` fills in the current values. */
export function quirksSection(): Html {
  return html`<section id="quirks" aria-labelledby="quirks-title">
    <h2 id="quirks-title">Traffic and quirks</h2>
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
    <h3>Quirks</h3>
    <p class="quiet">
      How the sandbox interprets what the document leaves open, and faults. A change takes effect with the
      next request or attempt. A fault is on, off, or on for a number of times. To revoke a token or renew a
      Client Secret, use the lists above.
    </p>
    <table id="quirk-list">
      <thead>
        <tr>
          <th>Name</th>
          <th>Description</th>
          <th>Current value</th>
        </tr>
      </thead>
      <tbody>
        !${Object.entries<Quirk>(QUIRKS).map(quirkRow)}
      </tbody>
    </table>
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

function quirkRow([name, quirk]: [string, Quirk]): Html {
  return html`<tr>
    <td style="white-space: nowrap"><code>${name}</code></td>
    <td>${plain(quirk.description)} !${quirk.kind === 'choice' ? valueList(quirk.values) : ''}</td>
    <td>!${control(name, quirk)}</td>
  </tr>`;
}

function valueList(values: Record<string, string>): Html {
  return html`<ul>
    !${Object.entries(values).map(
      ([value, description]) => html`<li><code>${value}</code>: ${plain(description)}</li>`,
    )}
  </ul>`;
}

function control(name: string, quirk: Quirk): Html {
  if (quirk.kind === 'choice')
    return html`<select name="${name}" aria-label="${name}">
      !${Object.keys(quirk.values).map((value) => html`<option>${value}</option>`)}
    </select>`;
  return html`<input name="${name}" aria-label="${name}" !${inputAttributes(quirk)} />`;
}

function inputAttributes(quirk: Exclude<Quirk, { kind: 'choice' }>): Html | string {
  if (quirk.kind === 'amount') return html`type="number" min="${quirk.min}" max="${quirk.max}"`;
  return quirk.kind === 'fault' ? html`list="fault-states" size="6"` : '';
}

// The descriptions are Markdown because the documentation repeats them.
function plain(description: string): string {
  return description.replaceAll('`', '');
}
