import type { Target } from '@contract/target';

type Form = NonNullable<Target['signature']>['form'];

/** Who signs in these forms. */
export const SIGNATURE_FORM_LABELS: Record<Form, string> = {
  'sha256={hex}': 'sha256=<hex>, as GitHub and Meta',
  '{hex}': '<hex>, as Linear',
  '{base64}': '<base64>, as Shopify and WooCommerce',
  't={time},v1={hex}': 't=<time>,v1=<hex>, as Stripe',
};

/** The signatures of a target in one line. */
export const describeSignatures = (signature: Target['signature'], ed25519: boolean): string =>
  [
    `Standard Webhooks${ed25519 ? ' with Ed25519' : ''}`,
    ...(signature === null ? [] : [`${signature.header}: ${SIGNATURE_FORM_LABELS[signature.form]}`]),
  ].join('; ');
