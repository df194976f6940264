import { EVENT_TYPES } from '../../protocol/event-types';
import { html, htmlPage } from '../html-page';
import { switchesSection } from '../readings/switches-section';

/** The developer panel's page. What it lists is filled in by its script. */
export function panelPage(): string {
  return htmlPage(
    'Co-Pilot sandbox: developer panel',
    html`<main>
        <h1>Co-Pilot sandbox: developer panel</h1>
        <p id="notice" role="status"></p>

        <section aria-labelledby="applications-title">
          <h2 id="applications-title">Applications</h2>
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Client ID</th>
                <th>Redirect URIs</th>
                <th>Client Secret</th>
              </tr>
            </thead>
            <tbody id="applications"></tbody>
          </table>
          <form id="new-application">
            <label>Name <input name="name" required maxlength="100" /></label>
            <label
              >Redirect URIs, one a line, at most 5
              <textarea name="redirect_uris" rows="2" required></textarea>
            </label>
            <button class="primary">Create application</button>
          </form>
        </section>

        <section aria-labelledby="events-title">
          <h2 id="events-title">Events</h2>
          <form id="event">
            <label>
              Event
              <select name="type">
                ${EVENT_TYPES.map((type) => html`<option>${type}</option>`)}
              </select>
            </label>
            <button>Let it happen once</button>
          </form>
        </section>

        <section aria-labelledby="webhooks-title">
          <h2 id="webhooks-title">Webhooks and their latest notifications</h2>
          <div id="webhooks"></div>
        </section>

        ${switchesSection()}
      </main>
      <script src="/panel/panel.js" type="module"></script>`,
  );
}
