const content = document.querySelector<HTMLMetaElement>('meta[name="hub-name"]')?.content ?? '';

/** The name of this hub, which the daemon writes into the page; to tell several hubs apart. */
export const HUB_NAME = content === '' ? location.host : content;
