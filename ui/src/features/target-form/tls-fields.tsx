import { Checkbox } from '@mantine/core';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { PemField } from './pem-field';
import { needsSecretsAgain, type TlsDraft } from './target-draft';

/** Server verification and the client certificate. */
export function TlsFields({ draft, change, errorOf }: FormPart) {
  const { tls, url } = draft;
  const edit = (part: Partial<TlsDraft>) => change({ tls: { ...tls, ...part } });
  return (
    <>
      {url.trim().toLowerCase().startsWith('http:') && (
        <p className={classes.muted}>
          The address uses http: these settings have no effect, and everything is sent unencrypted.
        </p>
      )}
      <PemField
        label="Certificate authority"
        description="For a self-signed certificate: trusted in place of the public authorities, for this target only."
        kind="CERTIFICATE"
        value={tls.ca}
        error={errorOf('tls.ca')}
        change={(ca) => edit({ ca })}
      />
      <PemField
        label="Client certificate"
        description="For a target that requires mutual TLS, followed by its chain."
        kind="CERTIFICATE"
        value={tls.cert}
        error={errorOf('tls.cert')}
        change={(cert) => edit({ cert })}
      />
      <PemField
        label="Private key"
        description={
          tls.isKeyStored && !needsSecretsAgain(draft)
            ? 'Set and never shown. Leave empty to keep it.'
            : 'Without a passphrase. Stored encrypted and never shown again.'
        }
        kind="PRIVATE KEY"
        value={tls.key}
        error={errorOf('tls.key')}
        change={(key) => edit({ key })}
      />
      <Checkbox
        label="Skip certificate verification"
        checked={!tls.verify}
        onChange={({ currentTarget }) => edit({ verify: !currentTarget.checked })}
      />
      {!tls.verify && (
        <p className={classes.danger} aria-live="polite">
          <strong>Anyone who can intercept traffic to this address receives the events.</strong> They can read
          every event and respond in place of the target. Adding the certificate authority above is just as
          easy and prevents this.
        </p>
      )}
    </>
  );
}
