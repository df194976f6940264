import { Checkbox } from '@mantine/core';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { PemField } from './pem-field';
import { leavesOrigin, type TlsDraft } from './target-draft';

/** How the target proves who it is, and how Switchboard does. */
export function TlsFields({ draft, change, complaint }: FormPart) {
  const { tls, url } = draft;
  const edit = (part: Partial<TlsDraft>) => change({ tls: { ...tls, ...part } });
  return (
    <>
      {url.trim().toLowerCase().startsWith('http:') && (
        <p className={classes.muted}>
          The address is http: nothing of this is used, and everything is sent in the clear.
        </p>
      )}
      <PemField
        label="Certificate authority"
        description="For a certificate of your own making: trusted instead of the usual authorities, for this target only."
        kind="CERTIFICATE"
        value={tls.ca}
        error={complaint('tls.ca')}
        change={(ca) => edit({ ca })}
      />
      <PemField
        label="Client certificate"
        description="For a target that asks who is calling; its chain behind it."
        kind="CERTIFICATE"
        value={tls.cert}
        error={complaint('tls.cert')}
        change={(cert) => edit({ cert })}
      />
      <PemField
        label="Its private key"
        description={
          tls.keyKept && !leavesOrigin(draft)
            ? 'Set, and never shown. It stays unless you give another.'
            : 'Without a passphrase. It is encrypted, and never shown again.'
        }
        kind="PRIVATE KEY"
        value={tls.key}
        error={complaint('tls.key')}
        change={(key) => edit({ key })}
      />
      <Checkbox
        label="Do not verify its certificate"
        checked={!tls.verify}
        onChange={({ currentTarget }) => edit({ verify: !currentTarget.checked })}
      />
      {!tls.verify && (
        <p className={classes.danger} aria-live="polite">
          <strong>Whoever answers at that address gets the events.</strong> Anybody who can get between reads
          every one of them, and can answer in its name. Giving its certificate authority above is as little
          work and keeps them out.
        </p>
      )}
    </>
  );
}
