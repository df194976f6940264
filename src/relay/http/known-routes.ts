import type { RouteOptions } from 'fastify';

/** The route that takes whatever no other does: files and pages of the dashboard. */
export const ANY_PAGE = '/*';

interface KnownPath {
  /** Of all its routes, as `Allow` names them (RFC 9110, 10.2.1). */
  methods: string[];
  /** Whether one of them needs no login. */
  isOpen: boolean;
}

/** The routes of the application by path: the router itself tells an unknown path and another method not apart. */
export class KnownRoutes {
  private readonly routes: (KnownPath & { pattern: RegExp })[] = [];

  add({ url, method, config }: RouteOptions): void {
    if (url === ANY_PAGE) return;
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    this.routes.push({ pattern, methods: [method].flat(), isOpen: config?.open === true });
  }

  /** @param url with its query @returns null if no route has this path */
  at(url: string): KnownPath | null {
    const path = url.split('?', 1)[0]!;
    const found = this.routes.filter(({ pattern }) => pattern.test(path));
    if (found.length === 0) return null;
    const methods = new Set(found.flatMap((route) => route.methods));
    return { methods: [...methods].toSorted(), isOpen: found.some(({ isOpen }) => isOpen) };
  }
}
