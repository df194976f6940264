/** Whether a content type is JSON, such as `application/ld+json`. */
export const isJsonType = (contentType: string): boolean => /[/+]json\b/i.test(contentType);
