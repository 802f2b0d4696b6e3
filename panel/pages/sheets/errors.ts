/** As many errors as are shown. */
const most = 10;
/** The beginning of the file of errors that is read for them. */
const beginningBytes = 100_000;

/** A row that failed, and why. */
export interface RowError {
  row: string;
  message: string;
}

/** Reads the first rows of a file of errors. */
export async function firstErrors(url: string, signal: AbortSignal): Promise<RowError[]> {
  const { ok, body } = await fetch(url, { signal });
  if (!ok || !body) throw new TypeError();
  return errorsIn(await beginningOf(body));
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    text += value;
    if (text.length >= beginningBytes) break;
  }
  await reader.cancel();
  return text;
}

/** Returns the first rows of a text of CSV or NDJSON whose last column or member is the error. */
function errorsIn(text: string): RowError[] {
  if (text.startsWith('{')) return text.split('\n').flatMap(errorOfLine).slice(0, most);
  const [head = [], ...rows] = rowsOf(text);
  return rows
    .filter((row) => row.length === head.length)
    .slice(0, most)
    .map((row) => ({ row: row.slice(0, -1).filter(Boolean).join(' · '), message: row.at(-1) ?? '' }));
}

function errorOfLine(line: string): RowError[] {
  try {
    const { error, ...row } = JSON.parse(line) as Record<string, unknown>;
    return [{ row: Object.values(row).map(String).join(' · '), message: String(error) }];
  } catch {
    return [];
  }
}

/** Returns the cells of CSV with any of the delimiters of imports; a row that is cut off comes last. */
function rowsOf(text: string): string[][] {
  const [head = ''] = text.split('\n', 1);
  const delimiter = [',', ';', '\t', '|'].toSorted((a, b) => head.split(b).length - head.split(a).length)[0] ?? ',';
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted || (character !== delimiter && character !== '\n')) cell += character;
    else {
      rows.at(-1)?.push(cell.replace(/\r$/, ''));
      cell = '';
      if (character === '\n') rows.push([]);
    }
  }
  return rows;
}
