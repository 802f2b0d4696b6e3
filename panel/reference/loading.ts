import type { Document } from '../document/document.ts';

let asked: Promise<Document> | undefined;

/** The OpenAPI document, asked for once. */
export function loadDocument(): Promise<Document> {
  asked ??= read('/openapi.json')
    .then((answer) => answer.json() as Promise<Document>)
    .catch((error) => {
      asked = undefined;
      throw error;
    });
  return asked;
}

/** A text that was written for the repository and is served beside the page. */
export const loadText = async (name: 'mcp.md' | 'changelog.md'): Promise<string> =>
  (await read(`/docs/${name}`)).text();

async function read(path: string): Promise<Response> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} cannot be read (${answer.status}).`);
  return answer;
}
