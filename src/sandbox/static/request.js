/**
 * @typedef {object} PanelResponse
 * @property {boolean} ok
 * @property {any} content the parsed JSON; an empty object where there is no body
 */

/**
 * Sends a request to the panel's JSON routes.
 * @param {string} method
 * @param {string} path
 * @param {Record<string, unknown>} [body]
 * @returns {Promise<PanelResponse>}
 */
export async function request(method, path, body) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, { method, ...json });
  const content = response.status === 204 ? {} : await response.json();
  return { ok: response.ok, content };
}
