import { isJsonType } from './is-json-type';

/** What a body is made of: its JSON, or the text if its content type is not JSON. */
export const outputOf = (body: string, contentType: string): unknown =>
  isJsonType(contentType) ? JSON.parse(body) : body;
