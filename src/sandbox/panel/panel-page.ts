import type { Crm } from '../crm/crm';
import type { Webhooks } from '../webhooks/webhooks';
import { html, htmlPage } from '../html-page';
import type { Applications } from '../oauth/applications';
import type { Grants } from '../oauth/grants';
import { quirksSection } from './quirks-section';
import { applicationsSection, refreshTokensSection } from './application-sections';
import { dealsSection } from './deals-section';
import { eventSection } from './event-section';
import { PANEL_STYLE } from './panel-style';
import { webhooksSection } from './webhooks-section';
import { contactsSection, automationsSection, tasksSection } from './crm-sections';

/** What the page shows. */
export interface PageParts {
  applications: Applications;
  grants: Grants;
  webhooks: Webhooks;
  crm: Crm;
}

const SECTIONS = [
  ['applications', 'Applications'],
  ['refresh-tokens', 'Refresh tokens'],
  ['webhooks', 'Webhooks'],
  ['events', 'Events'],
  ['deals', 'Deals'],
  ['contacts', 'Contacts'],
  ['tasks', 'Tasks'],
  ['playbook', 'Scenarios and agents'],
  ['switches', 'Switches'],
] as const;

/** The developer panel's page as things are now. Its script keeps it fresh and sends its forms. */
export function panelPage({ applications, grants, webhooks, crm }: PageParts): string {
  return htmlPage(
    'Co-Pilot sandbox: developer panel',
    html`<header>
        <h1>Co-Pilot sandbox: developer panel</h1>
        <nav aria-label="Sections">${SECTIONS.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav>
        <noscript><p>The forms of this page need its script.</p></noscript>
      </header>
      <main>
        ${applicationsSection(applications)} ${refreshTokensSection(grants, applications)}
        ${webhooksSection(webhooks, applications)} ${eventSection()} ${dealsSection(crm.deals)}
        ${contactsSection(crm.contacts)} ${tasksSection(crm.tasks)} ${automationsSection()} ${quirksSection()}
      </main>
      <div id="notice" role="status"></div>
      <script src="/panel/panel.js" type="module"></script>`,
    PANEL_STYLE,
  );
}
