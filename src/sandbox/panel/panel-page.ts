import { html, htmlPage } from '../html-page';
import type { Parts } from '../parts';
import { readStaticFile } from '../read-static-file';
import { quirksSection } from './quirks-section';
import { applicationsSection, refreshTokensSection } from './application-sections';
import { automationsSection, eventSection } from './event-sections';
import { webhooksSection } from './webhooks-section';
import { contactsSection, dealsSection, tasksSection } from './crm-sections';

const PANEL_CSS = readStaticFile('panel.css');

const SECTIONS = [
  ['applications', 'Applications'],
  ['refresh-tokens', 'Refresh tokens'],
  ['webhooks', 'Webhooks'],
  ['events', 'Events'],
  ['deals', 'Deals'],
  ['contacts', 'Contacts'],
  ['tasks', 'Tasks'],
  ['automations', 'Scenarios and agents'],
  ['quirks', 'Traffic and quirks'],
] as const;

/** The developer panel as it is now. `panel.js` keeps it up to date and sends its forms. */
export function panelPage({ applications, grants, webhooks, crm }: Parts): string {
  return htmlPage(
    'Co-Pilot sandbox: developer panel',
    html`<header>
        <h1>Co-Pilot sandbox: developer panel</h1>
        <nav aria-label="Sections">!${SECTIONS.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav>
        <noscript><p>This page needs JavaScript to send its forms.</p></noscript>
      </header>
      <main>
        !${applicationsSection(applications)} !${refreshTokensSection(grants, applications)}
        !${webhooksSection(webhooks, applications)} !${eventSection()} !${dealsSection(crm.deals)}
        !${contactsSection(crm.contacts)} !${tasksSection(crm.tasks)} !${automationsSection()}
        !${quirksSection()}
      </main>
      <div id="notice" role="status"></div>
      <script src="/panel/panel.js" type="module"></script>`,
    PANEL_CSS,
  );
}
