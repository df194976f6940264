import type { Attempt, Delivery } from '../webhooks/delivery';
import type { Webhook, Webhooks } from '../webhooks/webhooks';
import { type Html, html } from '../html-page';
import type { Applications } from '../oauth/applications';
import { section, table, time } from './panel-controls';

/** The webhooks of all applications with their delivery logs. */
export function webhooksSection(webhooks: Webhooks, applications: Applications): Html {
  const all = webhooks.all();
  return section(
    'webhooks',
    'Webhooks',
    html`<div id="webhook-list" data-live>
      !${
        all.length === 0
          ? html`<p class="quiet">No webhooks yet. An application creates one with POST /v1/webhooks.</p>`
          : all.map((webhook) => card(webhook, applications.find(webhook.clientId)?.name ?? webhook.clientId))
      }
    </div>`,
  );
}

function card({ id, url, active, events, deliveries }: Webhook, application: string): Html {
  const columns = ['Time', 'Event', 'State', 'Attempts', 'Next attempt'];
  const rows = deliveries.latestFirst().map(rowOf);
  return html`<article aria-labelledby="${id}">
    <h3 id="${id}">
      <code>${id}</code> !${active ? html`<b class="good">active</b>` : html`<b class="off">inactive</b>`}
    </h3>
    <p>URL: <code>${url}</code></p>
    <p class="quiet">${application}: ${events.join(', ')}</p>
    <details id="log-${id}">
      <summary>Delivery log of ${id} (${rows.length})</summary>
      !${table(`deliveries-${id}`, columns, rows, 'No notifications yet.')}
    </details>
  </article>`;
}

function rowOf({ timestamp, event, state, attempts, nextAttemptAt }: Delivery): Html[] {
  const isRetrying = state === 'retrying' && nextAttemptAt !== null;
  return [
    time(timestamp),
    html`<code>${event}</code>`,
    html`<b class="${state === 'delivered' ? 'good' : state === 'failed' ? 'bad' : 'off'}">${state}</b>`,
    html`!${attempts.map((attempt) => html`<span class="line">${describe(attempt)}</span>`)}`,
    isRetrying ? time(nextAttemptAt) : html`–`,
  ];
}

function describe({ number, outcome, durationMs }: Attempt): string {
  const result =
    outcome.kind === 'response' ? outcome.status : outcome.kind === 'timeout' ? 'timeout' : outcome.code;
  return `${number}: ${result} after ${durationMs} ms`;
}
