import { target } from '../../../src/contract/target';
import { makeToken, askWith } from '../access/token-fixture';
import { arrived, patch, receiver, rejected, startAgain, switchboard, useHub } from './hub';

useHub();

const signature = { header: 'x-hub-signature-256', form: 'sha256={hex}' };

it('signatures of a target are kept, shown with the public key, and those of its tests too', async () => {
  const { id, ...made } = await switchboard.addTarget('signed', receiver.url, ['signed'], {
    signature,
    ed25519: true,
  });
  expect(made).toMatchObject({ signature, ed25519: true, public_key: expect.stringMatching(/^whpk_/) });
  await switchboard.stop();
  await startAgain();
  const { secret: token } = await makeToken(switchboard, ['read']);
  const shown = target.parse((await askWith(switchboard, token, `/api/v1/targets/${id}`)).json);
  expect(shown).toMatchObject({ signature, ed25519: true, public_key: made.public_key });
  const { headers } = await arrived(await switchboard.emit('signed'));
  const signed = {
    'x-hub-signature-256': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    'webhook-signature': expect.stringMatching(/^v1,\S{44} v1a,\S{88}$/),
  };
  expect(headers).toMatchObject(signed);
  for (const [path, json] of [
    [`/targets/${id}/test`, {}],
    ['/targets/test', { url: receiver.url, target_id: id, signature, ed25519: true }],
  ] as const) {
    await switchboard.ask(path, { method: 'POST', json });
    expect(receiver.hits.at(-1)!.headers).toMatchObject(signed);
  }
  const rotated = await switchboard.ask(`/targets/${id}/secret/rotate`, { method: 'POST' });
  expect(target.parse(rotated.json).public_key).not.toBe(made.public_key);
  expect(await patch(id, { signature: null, ed25519: false })).toMatchObject({
    signature: null,
    public_key: null,
  });
  expect((await arrived(await switchboard.emit('signed'))).headers).not.toHaveProperty(signature.header);
});

it.each([
  [{ signature: { ...signature, header: 'webhook-id' } }, 'signature.header'],
  [{ signature, headers: [{ name: signature.header, value: 'a' }] }, 'signature.header'],
  [{ signature, format: 'text' }, 'signature'],
  [{ ed25519: true, format: 'text' }, 'ed25519'],
])('signatures that do not fit the other settings are refused: %j', async (json, path) => {
  expect(await rejected(json)).toEqual({ status: 422, code: 'target_invalid', paths: [path] });
});
