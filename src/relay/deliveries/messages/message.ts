/** What is sent for an event to a target that does not receive it as it is stored. */
export interface Message {
  /** Request headers with names in lower case; those of an e-mail are its header fields (RFC 5322). */
  headers: Record<string, string>;
  body: string;
}

export const jsonMessage = (payload: object): Message => ({
  // Some services assume another encoding without the charset.
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(payload),
});
