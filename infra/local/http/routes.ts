import type { RouteToServe } from '../template.ts';

export interface RouteMatch {
  route: RouteToServe;
  /** Still percent-encoded. */
  pathParameters: Record<string, string>;
}

interface Node {
  literals: Map<string, Node>;
  variable: Node | undefined;
  /** Where a variable like `{path+}` takes the rest of a path, its being empty included. */
  greedy: Node | undefined;
  methods: Map<string, RouteToServe>;
}

const newNode = (): Node => ({ literals: new Map(), variable: undefined, greedy: undefined, methods: new Map() });

/**
 * Finds the route of a request as API Gateway does: literal segments before variables, these before greedy ones, a method before ANY,
 * else `$default`.
 */
export function routeTable(routes: readonly RouteToServe[]): (method: string, path: string) => RouteMatch | undefined {
  const root = newNode();
  for (const route of routes) if (route.path !== '$default') insert(root, route);
  const fallback = routes.find(({ path }) => path === '$default');
  return (method, path) => {
    const found = find(root, path.split('/').slice(1), method, []);
    if (found) return { route: found.route, pathParameters: named(found.route.path, found.values) };
    return fallback && { route: fallback, pathParameters: {} };
  };
}

function insert(root: Node, route: RouteToServe): void {
  let node = root;
  for (const segment of route.path.split('/').slice(1)) {
    if (segment.endsWith('+}')) {
      node.greedy ??= newNode();
      node = node.greedy;
    } else if (segment.startsWith('{')) {
      node.variable ??= newNode();
      node = node.variable;
    } else {
      const next = node.literals.get(segment) ?? newNode();
      node.literals.set(segment, next);
      node = next;
    }
  }
  node.methods.set(route.method, route);
}

interface Found {
  route: RouteToServe;
  values: string[];
}

function find(node: Node, segments: readonly string[], method: string, values: string[]): Found | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    const route = node.methods.get(method) ?? node.methods.get('ANY');
    return route && { route, values };
  }
  const literal = node.literals.get(segment);
  const found = literal && find(literal, rest, method, values);
  if (found) return found;
  const one = segment !== '' && node.variable && find(node.variable, rest, method, [...values, segment]);
  if (one) return one;
  return node.greedy && find(node.greedy, [], method, [...values, segments.join('/')]);
}

function named(path: string, values: readonly string[]): Record<string, string> {
  const names = [...path.matchAll(/\{([^{}+]+)\+?\}/g)].map((match) => match[1] as string);
  return Object.fromEntries(names.map((name, index) => [name, values[index] as string]));
}
