import document from '#openapi' with { type: 'json' };

/** The methods that a path has in the OpenAPI document, upper case; none for an unknown path. */
export function methodsOf(path: string): string[] {
  const segments = path.split('/');
  const found = Object.entries(document.paths as Record<string, Record<string, unknown>>).filter(([template]) => {
    const parts = template.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
    );
  });
  // A literal segment wins over a variable one, as in API Gateway.
  const [best] = found.sort(([a], [b]) => a.split('{').length - b.split('{').length);
  return best
    ? Object.keys(best[1])
        .filter((method) => method !== 'parameters')
        .map((method) => method.toUpperCase())
    : [];
}
